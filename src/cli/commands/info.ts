/**
 * `daybook info`: shows the facts of the tool `store_info`, the size of all parts, and problems that need
 * a person. Exit status 1 if there are problems.
 */
import type { z } from 'zod';
import { locksOf } from '../../app/locks.js';
import type { App } from '../../app.js';
import { isAppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import type { Config } from '../../config/config.js';
import { problemWithWriting } from '../../files/paths/write-access.js';
import { type FolderSize, folderSize, freeBytes } from '../../files/read/folder-size.js';
import { isNearlyFull, percentOfLimit } from '../../maintenance/size-limit.js';
import { storeInfo } from '../../tools/conversations/store-info.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { ROOT_CHOICES, reportOtherRoot } from '../notices/other-root.js';
import { AREAS, problemsOf } from '../notices/problems.js';
import { configuration, type Flags } from '../options/configuration.js';
import { withRoot } from '../terminal/command-line.js';
import { report } from '../terminal/output.js';
import { showText } from '../terminal/pager.js';
import { sizeOf } from '../terminal/sizes.js';
import { oneLine } from '../terminal/terminal-text.js';
import { withReadingApp } from '../with-app.js';

type Facts = z.output<typeof storeInfo.output>;
type Sizes = Awaited<ReturnType<typeof sizesOf>>;

const LABEL_WIDTH = 14;
/** With less free space, not even a message of usual length can be saved. */
const NEEDED_BYTES = 4096;

/** Prints to stdout; the line `health` shows the problems. */
export async function info({ json }: { json?: boolean }, flags: Flags): Promise<void> {
  const config = configuration(flags);
  await withReadingApp(flags, async (app, signal) => {
    const call = { signal, isRemote: false, progress: () => undefined };
    const facts = storeInfo.output.parse(await storeInfo.run({}, app, call));
    const sizes = await sizesOf(config, app);
    const found = [...ofSpace(config, sizes), ...(await allProblems(app, config, facts))];
    const problems = found.map((line) => withRoot(flags, line));
    const everything = { ...facts, node: process.version, sizes, problems };
    if (problems.length > 0) process.exitCode = NOTHING_FOUND;
    let text = '';
    report(everything, json, () => {
      text = linesOf(facts, sizes, problems).join('\n');
    });
    if (text !== '') await showText(text);
    await reportOtherRoot(config);
  });
}

async function sizesOf(
  { root, logsDir, memoryBankFolder, backup }: Config,
  { size, backups }: App,
) {
  const sizes = await size.byFolder();
  const ofFolder = (folder: string) => sizes.get(folder) ?? { files: 0, sizeBytes: 0 };
  return {
    conversations: ofFolder(logsDir),
    memoryBank: ofFolder(memoryBankFolder),
    backups: {
      folder: backup.folder,
      archives: (await backups.list()).length,
      ...(await folderSize(backup.folder)),
    },
    freeBytes: await freeBytes(root),
  };
}

/** One sentence for each problem. */
async function allProblems(
  app: App,
  config: Config,
  { size, retention }: Facts,
): Promise<string[]> {
  const problems: string[] = [];
  for (const area of AREAS) problems.push(...(await orProblem(problemsOf(area, app))));
  const ofLocks = await orProblem(silentLocks(config));
  return [
    ...ofAccess(config),
    ...(app.unusedKey === undefined ? [] : [app.unusedKey]),
    ...problems,
    ...ofSize(size),
    ...ofLocks,
    ...(retention?.problem === undefined ? [] : [retention.problem]),
  ];
}

/** The problems, or the one problem that they cannot be found because a folder cannot be opened. */
const orProblem = (found: Promise<string[]>): Promise<string[]> =>
  found.catch((error: unknown) => {
    if (!isAppError(error, 'FILESYSTEM_ERROR')) throw error;
    return [error.message];
  });

async function silentLocks(config: Config): Promise<string[]> {
  const silent = (await locksOf(config)).filter(({ state }) => state === 'quiet');
  return silent.map(
    ({ name }) =>
      `The owner of the lock ${name} no longer renews it. To check and remove the lock, run daybook unlock.`,
  );
}

function ofAccess({ root, logsDir, memoryBankFolder }: Config): string[] {
  const folders = new Set([root, logsDir, memoryBankFolder]);
  return [...folders].flatMap((folder) => {
    const errno = problemWithWriting(folder);
    return errno === undefined ? [] : [`Daybook cannot write to ${folder} (${errno}).`];
  });
}

function ofSpace({ root }: Config, { freeBytes: free }: Sizes): string[] {
  if (free >= NEEDED_BYTES) return [];
  return [`The disk of ${root} is full: nothing new can be stored. Free some disk space.`];
}

function ofSize(size: Facts['size']): string[] {
  if (!isNearlyFull(size)) return [];
  return [
    `The store has reached ${percentOfLimit(size)} % of DAYBOOK_MAX_SIZE_MB. At 100 % it accepts no new data. Run daybook prune --by-size, or raise DAYBOOK_MAX_SIZE_MB.`,
  ];
}

/** Users set the key in the entry of a client, where this command does not see it. */
const NO_KEY = 'no key for this command; a server uses the key in the entry of its MCP client';

function linesOf(facts: Facts, sizes: Sizes, problems: readonly string[]): string[] {
  const { settings } = facts;
  const [first = 'good', ...others] = problems;
  const rows = [
    ['version', `${facts.version} on Node ${process.version}, file format ${facts.formatVersion}`],
    [
      'root',
      `${facts.root} (${ROOT_CHOICES[facts.rootSource as Config['rootSource']]}), ${sizeOf(sizes.freeBytes)} free`,
    ],
    [
      'conversations',
      `${facts.conversations} in ${facts.conversationLogsDir}, ${roomOf(sizes.conversations)}`,
    ],
    ['messages', `${facts.messages}`],
    ['insights', `${facts.insights.count}; the whole memory bank: ${roomOf(sizes.memoryBank)}`],
    [
      'backups',
      `${sizes.backups.archives} of this store; ${sizeOf(sizes.backups.sizeBytes)} in ${sizes.backups.folder}`,
    ],
    ['retention', retentionLine(facts)],
    ['search index', indexFacts(facts.indexCachePath)],
    ['embeddings', facts.embeddings?.mode ?? 'off'],
    ...facts.imports.map(
      (tool, index) => [index === 0 ? 'other tools' : '', toolLine(tool)] as const,
    ),
    ['configuration', facts.configFile],
    ['toolsets', settings.toolsets.join(', ')],
    ['fsync', settings.fsync ? 'on' : 'off'],
    ['max messages', `${settings.maxMessages} in one conversation`],
    ['Perplexity', settings.perplexity.configured ? settings.perplexity.backend : NO_KEY],
    ['health', problems.length > 1 ? `${problems.length} problems: ${first}` : first],
    ...others.map((problem) => ['', problem] as const),
  ] as const;
  return rows.map(([name, value]) => `${name.padEnd(LABEL_WIDTH)} ${oneLine(value)}`);
}

/** Where another tool stores conversations, and when it deletes them. */
function toolLine({ tool, path, deletes, isWatched }: Facts['imports'][number]): string {
  const watch = isWatched ? '; servers import them' : '';
  return `${tool} in ${path}${deletes === undefined ? '' : `, deletes ${deletes}`}${watch}`;
}

function retentionLine({ retention, size }: Facts): string {
  const { sizeBytes, trashBytes, limitBytes } = size;
  const limit = limitBytes === undefined ? '' : ` of ${sizeOf(limitBytes)}`;
  const room = `${sizeOf(sizeBytes)}${limit} in use, ${sizeOf(trashBytes)} in the trash`;
  if (retention === undefined) return `no policy; ${room}`;
  const { rules, bySize, lastRun } = retention;
  const policy = [countOf(rules.length, 'rule'), ...(bySize ? ['by size'] : [])].join(', ');
  const account =
    lastRun && `, last run ${lastRun.at}: ${lastRun.moved} moved, ${lastRun.removed} removed`;
  return `${policy}${account ?? ''}; ${room}`;
}

const roomOf = ({ files, sizeBytes }: FolderSize) =>
  `${sizeOf(sizeBytes)} in ${countOf(files, 'file')}`;

/** This command builds no index, because that takes much longer than the other facts. */
function indexFacts(cachePath: string | undefined): string {
  return cachePath === undefined
    ? 'each server builds it from the files when it starts'
    : `cached in ${cachePath} if there are many messages; each server reads it when it starts`;
}
