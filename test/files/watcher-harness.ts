/**
 * A consumer like the stores: takes the snapshot, and then knows only what is reported. Its view is compared
 * with the disk again and again: what is promised within a second must be reported within a number of
 * comparisons. Comparisons and watcher run in one event loop, so a slow or busy machine delays both. The time
 * is printed.
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
import { type FileChange, Watcher, type WatcherOptions } from '../../src/files/watcher/watcher.js';

/** Machines of CI can pause, so the test counts comparisons and not time. */
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

/** Creates missing folders. */
export function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** As editors and the stores write: a temporary file beside the target that is renamed to it. */
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
        if (change.stamp !== undefined) seen.set(change.path, change.stamp);
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

/** Resolves when every folder that must be watched is watched, so that the next steps test the events. */
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

/** Waits until the view of the consumer is that of the disk. Returns the number of comparisons. */
export async function agreement(consumer: Consumer, what: string, match = isMarkdown) {
  const from = performance.now();
  const looks = await until(() => agrees(consumer, match), `view agrees with the disk: ${what}`);
  const tookMs = performance.now() - from;
  process.stderr.write(`  ${what}: agrees after ${tookMs.toFixed(0)} ms, ${looks} looks\n`);
  return looks;
}

/** The number of comparisons that it took. */
export async function until(condition: () => boolean, what: string): Promise<number> {
  const startedAt = performance.now();
  let looks = 1;
  for (; !condition(); looks += 1) {
    if (performance.now() - startedAt > MAX_WAIT_MS) throw new Error(`Never came true: ${what}`);
    await delay(POLL_INTERVAL_MS);
  }
  return looks;
}

/** The maximum number of comparisons in this time. */
export const looksWithin = (ms: number) => ms / POLL_INTERVAL_MS;
