/**
 * What a command must not pass over in silence: files that cannot be read, folders that nothing
 * reads, keys in use twice, facts that are damaged, and another root that the MCP clients use. Each
 * problem is a sentence that names the thing.
 */
import type { App } from '../app.js';
import type { Config } from '../config/config.js';
import type { Tool } from '../tools/define-tool.js';
import { shellLine } from './clients/shell-line.js';
import { configuration, type Flags } from './configuration.js';
import { NOTHING_FOUND, OK } from './status.js';
import { countOf } from './terminal/output.js';
import { escapeControls } from './terminal/terminal-text.js';
import { ROOT_CHOICES } from './with-app.js';

/** A broken disk may damage thousands; `daybook info` names them all. */
const MOST_NAMED = 3;

export type Area = 'conversations' | 'insights' | 'kg' | 'memory_bank';

/** One sentence each; what was read before is not read again. FILESYSTEM_ERROR. */
export async function problemsOf(area: Area, app: App): Promise<string[]> {
  switch (area) {
    case 'conversations':
      return conversationProblems(app);
    case 'insights':
      await app.insights.current();
      return app.insights.damaged().map(({ error }) => error.message);
    case 'memory_bank':
      await app.memoryBank.refresh();
      return app.memoryBank.skipped().map(({ path, error }) => `${path}: ${error.message}`);
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
        `Daybook ignores the folder ${JSON.stringify(name)}, because its name is not the id of a conversation, such as 20250124-1706102400123.`,
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
  // Lines that were damaged while this process ran; the notices are from its start.
  const isUnnoticed = damagedLines > 0 && notices.length === 0;
  return isUnnoticed ? [`${walPath} has damaged lines: ${damagedLines}.`] : [...notices];
}

const AREAS: Readonly<Record<string, Area>> = {
  ...{ conversations: 'conversations', insights: 'insights', kg: 'kg' },
  memory_bank: 'memory_bank',
};

/** For a command that showed what is there: names on stderr what is left out, and sets the status. */
export async function reportLeftOut(area: Area, app: App): Promise<void> {
  const problems = await problemsOf(area, app);
  for (const problem of problems.slice(0, MOST_NAMED)) console.error(escapeControls(problem));
  if (problems.length > MOST_NAMED) {
    console.error(
      `${countOf(problems.length - MOST_NAMED, 'more problem')}: run daybook info to see all.`,
    );
  }
  if (problems.length > 0 && (process.exitCode ?? OK) === OK) process.exitCode = NOTHING_FOUND;
}

/** The same for a command made of a tool that reads; and where the clients use another root. */
export async function reportUnreadable(tool: Tool, app: App, flags: Flags): Promise<void> {
  if (!tool.annotations.readOnlyHint) return;
  const area = AREAS[tool.toolset];
  if (area !== undefined) await reportLeftOut(area, app);
  await reportOtherRoot(configuration(flags));
}

/** The root was not chosen, and MCP clients use another one: people expect their data there. */
export async function reportOtherRoot({ root, rootSource }: Config): Promise<void> {
  if (rootSource !== 'home' && rootSource !== 'registered') return;
  const { rootsOfClients } = await import('./clients/client-roots.js');
  const others = [...rootsOfClients()].filter(([other]) => other !== root);
  if (others.length === 0) return;
  console.error(
    escapeControls(`This command used the root ${root} (${ROOT_CHOICES[rootSource]}).`),
  );
  for (const [other, titles] of others) {
    const verb = titles.length === 1 ? 'uses' : 'use';
    const clients = new Intl.ListFormat('en').format(titles);
    console.error(
      escapeControls(
        `${clients} ${verb} ${other}: to see that root, add ${shellLine(['--root', other])}.`,
      ),
    );
  }
}
