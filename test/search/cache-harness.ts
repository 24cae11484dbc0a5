/**
 * What the tests of both caches (of the index and of recall) share: a folder of conversations, the
 * damaged forms of a cache file, and writers that are killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.js';
import { MessageIndex } from '../../src/search/messages/message-index.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { saveIndexCache } from '../support/save-index-cache.js';
import { tempFolder } from '../support/temp-folder.js';
import { idOf, put, sample } from './search-place.js';

const WRITER = resolve(import.meta.dirname, '../dist/cache-writer.js');

/** New conversations, and the path of a cache file that does not exist yet. */
export function cacheFolder(fileName: string, count: number, messages: number) {
  const root = tempFolder();
  const logsFolder = join(root, 'logs');
  for (let n = 0; n < count; n += 1) put(logsFolder, idOf(n), sample(n, messages));
  return { root, logsFolder, cachePath: join(root, 'cache', fileName) };
}

/** Index and store as in a server, for any size. */
export async function openIndex(logsFolder: string) {
  const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
  const index = new MessageIndex();
  store.follow((change) => index.apply(change));
  await store.refresh();
  return { store, index };
}

/** Writes the index of the folder to `path` as a server does. Returns its bytes. */
export async function saveCache(logsFolder: string, path: string): Promise<Buffer> {
  const { store, index } = await openIndex(logsFolder);
  expect(await saveIndexCache({ path, index, store, log: silentLog })).toBe(true);
  await store.close();
  return readFileSync(path);
}

/** The positions of the ends of each piece: of its length, its header and the whole. */
export function boundariesOf(cache: Buffer): number[] {
  const ends: number[] = [];
  for (let at = 0; at < cache.length; ) {
    ends.push(at + 4, at + 20);
    at += 4 + cache.readUInt32LE(at);
    ends.push(at);
  }
  return ends;
}

/** The cache with one bit flipped, and with a stretch overwritten, at many positions. */
export function* damagedForms(cache: Buffer, spread: number) {
  const positions = [
    ...Array.from({ length: 28 }, (_, index) => index),
    ...boundariesOf(cache).slice(0, -1),
    ...Array.from({ length: spread }, (_, index) => Math.floor((index * cache.length) / spread)),
  ];
  for (const [index, at] of positions.entries()) {
    const flipped = Buffer.from(cache);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (index % 8));
    yield { bytes: flipped, what: `flipped at ${at}` };
    const filled = Buffer.from(cache).fill(index % 2 === 0 ? 0 : 255, at, at + 64);
    yield { bytes: filled, what: `stretch at ${at}` };
  }
}

/** A process that writes a cache again and again. Resolves when it has started. */
export async function startWriter(...args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WRITER, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

export async function killWriter(writer: ChildProcess): Promise<void> {
  writer.kill('SIGKILL');
  await once(writer, 'exit');
}

/**
 * Starts three writers, each for a file of its own, and kills them at random moments below `mostMs`.
 * Returns the paths of the files. The lease of a dead writer is removed first: it would exclude the next.
 */
export async function killWriters(
  { logsFolder, cachePath }: { readonly logsFolder: string; readonly cachePath: string },
  mostMs: number,
  ...kind: readonly string[]
): Promise<readonly string[]> {
  const paths = [0, 1, 2].map((n) => `${cachePath}${n}`);
  for (const path of paths) rmSync(`${path}.lock`, { recursive: true, force: true });
  const writers = await Promise.all(paths.map((path) => startWriter(logsFolder, path, ...kind)));
  await Promise.all(
    writers.map(async (writer) => {
      await delay(Math.random() * mostMs);
      await killWriter(writer);
    }),
  );
  return paths;
}

/** The temporary files beside a cache, which a killed writer left. */
export const temporariesBeside = (cachePath: string): string[] =>
  readdirSync(dirname(cachePath)).filter((name) => name.startsWith('.tmp-'));
