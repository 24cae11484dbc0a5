/**
 * A consumer as the stores are one: takes the snapshot, then believes only what it is told.
 * Whether it was told right is judged by walking the real disk, again and again: what is promised
 * within a second must be there within so many looks. Looks and watcher take turns in one event loop,
 * so that a machine that is slow or busy keeps both waiting. How long it took is printed.
 */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLog } from '../../src/base/log.js';
import { isSameStamp, type Stamp, stampOf } from '../../src/files/read/stamp.js';
import type { FileChange } from '../../src/files/watcher/found-changes.js';
import { Watcher, type WatcherOptions } from '../../src/files/watcher/watcher.js';

/** CI machines stall; how soon something was seen is judged by the looks that it took, not by this. */
const MAX_WAIT_MS = 120_000;
const POLL_INTERVAL_MS = 10;

export interface Consumer {
  readonly root: string;
  readonly watcher: Watcher;
  readonly seen: Map<string, Stamp>;
  readonly changes: FileChange[];
  close(): Promise<void>;
}

export function tempRoot(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'daybook-watcher-')));
}

/** Folders are made as needed. */
export function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** As editors and the stores write: a temp file beside the target, renamed over it. */
export function replace(root: string, path: string, text: string, temp = '.tmp-0123456789'): void {
  const tempPath = join(root, dirname(path), temp);
  writeFileSync(tempPath, text);
  renameSync(tempPath, join(root, path));
}

export function stampAt(root: string, path: string): Stamp {
  return stampOf(lstatSync(join(root, path), { bigint: true }));
}

const isMarkdown = (path: string) => path.endsWith('.md');
export const isConversation = (path: string) => /^\d{8}-\d{13}\/conversation\.json$/.test(path);
export const onlyConversations = (folder: string) =>
  folder === '' ? undefined : ['conversation.json'];
export const conversationPath = (index: number) =>
  `20250124-${1_706_000_000_000 + index}/conversation.json`;

export async function consume(
  root: string,
  options: Partial<WatcherOptions> = {},
): Promise<Consumer> {
  const seen = new Map<string, Stamp>();
  const changes: FileChange[] = [];
  const watcher = new Watcher({
    root,
    match: isMarkdown,
    log: silentLog,
    onChange: (batch) => {
      for (const change of batch) {
        changes.push(change);
        if (change.kind === 'changed') seen.set(change.path, change.stamp);
        else seen.delete(change.path);
      }
    },
    ...options,
  });
  await watcher.ready;
  for (const [path, stamp] of watcher.snapshot()) seen.set(path, stamp);
  const close = async () => {
    await watcher.close();
    rmSync(root, { recursive: true, force: true });
  };
  return { root, watcher, seen, changes, close };
}

/** Every folder that ought to be watched is, so that what follows tests the events. */
export async function watching({ watcher }: Consumer, folders: number): Promise<void> {
  await until(() => watcher.status().watchedFolders >= folders, 'watches are open');
  await delay(150);
}

function onDisk(root: string, match: (path: string) => boolean): Map<string, Stamp> {
  const found = new Map<string, Stamp>();
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !['.trash', '.locks', '.git'].includes(entry.name)) walk(path);
      else if (entry.isFile() && match(path)) found.set(path, stampAt(root, path));
    }
  };
  walk('');
  return found;
}

export function agrees(consumer: Consumer, match = isMarkdown): boolean {
  const truth = onDisk(consumer.root, match);
  if (truth.size !== consumer.seen.size) return false;
  return [...truth].every(([path, stamp]) => isSameStamp(consumer.seen.get(path), stamp));
}

/** Waits until the consumer's view is the disk's; how many looks it took. */
export async function agreement(consumer: Consumer, what: string, match = isMarkdown) {
  const from = performance.now();
  const looks = await until(() => agrees(consumer, match), `view agrees with the disk: ${what}`);
  const tookMs = performance.now() - from;
  process.stderr.write(`  ${what}: agrees after ${tookMs.toFixed(0)} ms, ${looks} looks\n`);
  return looks;
}

/** How many looks it took. */
export async function until(condition: () => boolean, what: string): Promise<number> {
  const startedAt = performance.now();
  let looks = 1;
  for (; !condition(); looks += 1) {
    if (performance.now() - startedAt > MAX_WAIT_MS) throw new Error(`Never came true: ${what}`);
    await delay(POLL_INTERVAL_MS);
  }
  return looks;
}

/** As many looks as fit into this time, at most. */
export const looksWithin = (ms: number) => ms / POLL_INTERVAL_MS;
