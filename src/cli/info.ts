/**
 * `daybook info`: what the tool `store_info` tells, how much room everything takes, and whether
 * something needs a person. Status 1: something does.
 */
import { join } from 'node:path';
import type { z } from 'zod';
import { createApp } from '../app.js';
import type { Config } from '../config.js';
import { type FolderSize, folderSize, freeBytes } from '../files/folder-size.js';
import { storeInfo } from '../tools/conversations/store-info.js';
import { configuration, type Flags } from './configuration.js';
import { locksOf } from './locks.js';
import { countOf, tell } from './tell.js';
import { escapeControls } from './terminal-text.js';

const CHOSEN_BY: Record<string, string> = {
  flag: 'chosen by --root',
  environment: 'chosen by DAYBOOK_ROOT',
  file: 'chosen by your configuration file',
  registered: 'registered with daybook init',
  home: 'the default',
};
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

type Facts = z.output<typeof storeInfo.output>;
type Sizes = Awaited<ReturnType<typeof sizesOf>>;

/** Prints to stdout, and what is wrong to stderr. */
export async function info({ json }: { json?: boolean }, flags: Flags): Promise<void> {
  const config = configuration(flags);
  const app = await createApp(config);
  const call = {
    signal: new AbortController().signal,
    isRemote: false,
    progress: () => undefined,
  };
  const facts = storeInfo.output.parse(await storeInfo.run({}, app, call));
  await app.close();
  const sizes = await sizesOf(config);
  const problems = await problemsOf(facts, config);
  const everything = { ...facts, node: process.version, sizes, problems };
  tell(everything, json, () => print(facts, sizes, problems));
  for (const notice of config.notices) console.error(notice);
  if (problems.length > 0) process.exitCode = 1;
}

async function sizesOf({ root, logsDir, backup }: Config) {
  return {
    conversations: await folderSize(logsDir),
    memoryBank: await folderSize(join(root, 'memory-bank')),
    backups: await folderSize(backup.folder),
    freeBytes: await freeBytes(root),
  };
}

/** Sentences, each about one thing. */
async function problemsOf(facts: Facts, config: Config): Promise<string[]> {
  const locks = await locksOf(config);
  return [
    ...facts.damaged.map(({ message }) => message),
    ...facts.insights.damaged.map(({ message }) => message),
    ...locks
      .filter(({ state }) => state === 'quiet')
      .map(({ name }) => `The lock ${name} shows no sign of its owner: see daybook unlock.`),
  ];
}

function print(facts: Facts, sizes: Sizes, problems: readonly string[]): void {
  const { settings } = facts;
  const cache = facts.indexCachePath;
  const rows = [
    [
      'version',
      `${facts.version} on Node ${process.version}, files of version ${facts.formatVersion}`,
    ],
    ['root', `${facts.root} (${CHOSEN_BY[facts.rootSource]}), ${size(sizes.freeBytes)} free`],
    [
      'conversations',
      `${facts.conversations} in ${facts.conversationLogsDir}, ${room(sizes.conversations)}`,
    ],
    ['messages', `${facts.messages}`],
    ['insights', `${facts.insights.count}; the whole memory bank: ${room(sizes.memoryBank)}`],
    ['backups', room(sizes.backups)],
    ['search index', indexFacts(cache)],
    ['configuration', facts.configFile],
    ['toolsets', settings.toolsets.join(', ')],
    ['fsync', settings.fsync ? 'on' : 'off'],
    ['max messages', `${settings.maxMessages} in one conversation`],
    ['Perplexity', settings.perplexity.configured ? settings.perplexity.backend : 'no key set'],
    ['health', problems.length === 0 ? 'good' : `${problems.length} to look at`],
  ] as const;
  for (const [name, value] of rows) console.log(`${name.padEnd(14)} ${value}`);
  for (const problem of problems) console.error(escapeControls(problem));
}

const room = ({ files, sizeBytes }: FolderSize) =>
  `${size(sizeBytes)} in ${countOf(files, 'file')}`;

function size(bytes: number): string {
  let left = bytes;
  let unit = 0;
  for (; left >= 1000 && unit < UNITS.length - 1; unit += 1) left /= 1000;
  return `${unit === 0 ? left : left.toFixed(1)} ${UNITS[unit]}`;
}

/** This command builds none: it would take longer than the answer is worth. */
function indexFacts(cachePath: string | undefined): string {
  return cachePath === undefined
    ? 'built from the files by each server when it starts'
    : `built by each server when it starts; cached in ${cachePath}`;
}
