/**
 * The problems that every command reports: files that cannot be read, ignored folders, duplicate keys
 * and damaged facts. Each problem is one sentence.
 */

import type { App } from '../../app.js';
import { countOf } from '../../base/text/display-text.js';
import type { Skipped } from '../../maintenance/skipped-conversations.js';
import type { Tool } from '../../tools/define-tool.js';
import { NOTHING_FOUND, OK } from '../errors/exit-status.js';
import type { Flags } from '../options/configuration.js';
import { withRoot } from '../terminal/command-line.js';
import { printList } from '../terminal/output.js';
import { escapeControls, oneLine } from '../terminal/terminal-text.js';

/** A damaged disk can damage thousands of files; `daybook info` shows all problems. */
const MAX_SHOWN = 3;

/** The parts of the store, by the names of their toolsets. */
export const AREAS = ['conversations', 'insights', 'memory_bank', 'kg'] as const;
type Area = (typeof AREAS)[number];

/** Many messages name the file already. */
export const withPath = (path: string, message: string) =>
  message.includes(path) ? message : `${path}: ${message}`;

/** One sentence for each problem. Files that were read before are not read again. Throws FILESYSTEM_ERROR. */
export async function problemsOf(area: Area, app: App): Promise<string[]> {
  switch (area) {
    case 'conversations':
      return conversationProblems(app);
    case 'insights':
      await app.insights.current();
      return app.insights.damaged().map(({ error }) => error.message);
    case 'memory_bank':
      await app.memoryBank.refresh();
      return app.memoryBank.skipped().map(({ path, error }) => withPath(path, error.message));
    case 'kg':
      return graphProblems(app);
  }
}

async function conversationProblems({ conversations }: App): Promise<string[]> {
  await conversations.list();
  const folders = await conversations.ignoredFolders();
  return [
    ...conversations.damaged().map(({ error }) => error.message),
    ...folders.map(
      (name) =>
        `Daybook ignores the folder ${JSON.stringify(name)}, because its name is not the id of a conversation, such as 20250124-1737730800123.`,
    ),
    ...conversations
      .duplicateKeys()
      .map(
        ({ clientId, conversationIds: [oldest, ...others] }) =>
          `More than one conversation has the key ${clientId}: the key opens ${oldest}, but not ${others.join(', ')}. To change one of them, use its id.`,
      ),
  ];
}

async function graphProblems({ kg }: App): Promise<string[]> {
  const { damagedLines, notices, walPath } = await kg.stats();
  // The notices are from the start of the process, so later damage needs its own sentence.
  const isUnnoticed = damagedLines > 0 && notices.length === 0;
  return isUnnoticed ? [`${walPath} has damaged lines: ${damagedLines}.`] : [...notices];
}

/** Prints on stderr the problems because of which a list can be incomplete, and sets the exit status. */
export async function reportLeftOut(area: Area, app: App, flags: Flags): Promise<void> {
  const problems = await problemsOf(area, app);
  const shown = problems.slice(0, MAX_SHOWN).map(escapeControls);
  if (problems.length > MAX_SHOWN) {
    const more = countOf(problems.length - MAX_SHOWN, 'more problem');
    shown.push(`${more}: run daybook info to see all.`);
  }
  for (const line of shown) console.error(withRoot(flags, line));
  const isComplete = problems.length === 0 || (area === 'kg' && !(await app.kg.stats()).isDamaged);
  if (!isComplete && (process.exitCode ?? OK) === OK) process.exitCode = NOTHING_FOUND;
}

/** `reportLeftOut` for the command of a reading tool. */
export async function reportUnreadable(tool: Tool, app: App, flags: Flags): Promise<void> {
  if (!tool.annotations.readOnlyHint) return;
  const area = AREAS.find((each) => each === tool.toolset);
  if (area !== undefined) await reportLeftOut(area, app, flags);
}

/** Prints on stderr which conversations a command skipped, and sets the exit status. */
export function reportSkipped(
  left: readonly Skipped[],
  what: string,
  options: { readonly all?: boolean },
): void {
  const lines = left.map(({ conversationId, reason }) =>
    oneLine(`${conversationId} ${what}: ${reason}`),
  );
  printList(lines, options, console.error);
  if (left.length > 0 && (process.exitCode ?? OK) === OK) process.exitCode = NOTHING_FOUND;
}
