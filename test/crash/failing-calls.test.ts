/**
 * Each file-system call of the durable layer fails in turn (one run tries a quarter of the calls,
 * `DAYBOOK_SOAK=2` all): with ENOSPC, EIO, EACCES, EMFILE, or a short write followed by ENOSPC; once, or
 * at every call until the fault ends. Either the operation fails with an AppError, or it is really done.
 * The old files keep their bytes, no file handle leaks, no error is left uncaught, and the next try works.
 * The one exception is a new file that is in place but that the disk did not confirm: the error has
 * `details.unconfirmed`, and the file is complete.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { locksFolderIn } from '../../src/files/locks/lock-folders.js';
import { releaseLeftLocks } from '../../src/files/locks/lock-handoff.js';
import { ownerName } from '../../src/files/locks/process-identity.js';
import {
  type ConversationStore,
  openConversationStore,
} from '../../src/stores/conversations/conversations.js';
import { ageEmptyFolders } from '../support/age-folders.js';
import {
  callsDuring,
  claimsIn,
  type Disturbance,
  type FsCall,
  MOST_CLAIMS,
  tapFs,
} from '../support/fs-tap.js';
import { memoryFolder } from '../support/memory-folder.js';
import { isSoak, sampled, timeLimitMs } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import { uncaughtErrors } from '../support/uncaught.js';

const ID = '20250124-1706102400123';
const KEYED_ID = '20250124-1706102400124';
const KEY = 'my-key';
const KINDS = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'short-write'] as const;
/** The kinds of faults that can last on a real machine; with `DAYBOOK_SOAK=2` all kinds last too. */
const LASTING: readonly string[] = isSoak ? KINDS : ['ENOSPC', 'EMFILE', 'short-write'];
type Kind = (typeof KINDS)[number];

interface Place {
  folder: string;
  logs: string;
  store: ConversationStore;
}

interface Operation {
  name: string;
  /** Prepares a store that already has two conversations, one of them with a key. */
  prepare?(place: Place): Promise<unknown>;
  run(place: Place, text: string): Promise<unknown>;
  /** Every text that `run` stored, wherever it is now. */
  storedTexts(place: Place): Promise<string[]>;
}

const base = tempFolder(memoryFolder());
const uncaught = uncaughtErrors();
let placeCount = 0;

function conversation(id: string, extra: object): string {
  const messages = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }));
  return JSON.stringify({ conversationId: id, ...extra, messages });
}

async function openPlace(): Promise<Place> {
  placeCount += 1;
  const folder = join(base, String(placeCount));
  const logs = join(folder, 'conversation-logs');
  for (const [id, extra] of [[ID, {}] as const, [KEYED_ID, { clientId: KEY }] as const]) {
    await mkdir(join(logs, id), { recursive: true });
    await writeFile(join(logs, id, 'conversation.json'), conversation(id, extra));
  }
  const store = await openConversationStore({ logsFolder: logs, maxMessages: 100, fsync: true });
  return { folder, logs, store };
}

/** Every file below the folder, except those of the locks, with its bytes on disk. */
async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('.locks'));
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)),
  );
}

async function textsOfConversations({ logs }: Place): Promise<string[]> {
  const files = [...(await filesOf(logs))].filter(([path]) => path.endsWith('.json'));
  return files.flatMap(([, bytes]) => {
    const { messages } = JSON.parse(bytes.toString()) as { messages: { content: string }[] };
    return messages.map(({ content }) => content);
  });
}

const say = (content: string) => [{ role: 'user', content }] as const;

/** Makes the lock that a killed process leaves: it is held, and it contains a staged file. */
async function leaveDeadLock({ logs }: Place): Promise<void> {
  const dead = ownerName().replace(/-\d+-([0-9a-z]+)$/, '-1-$1');
  const home = join(logs, '.locks', ID, dead);
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'stage'), 'half');
}

const OPERATIONS: readonly Operation[] = [
  {
    name: 'append to a conversation that is not in memory',
    run: ({ store }, text) => store.append(ID, say(text)),
    storedTexts: textsOfConversations,
  },
  {
    name: 'append to a conversation that is in memory',
    prepare: ({ store }) => store.append(ID, say('warm')),
    run: ({ store }, text) => store.append(ID, say(text)),
    storedTexts: textsOfConversations,
  },
  {
    name: 'append while a dead process holds the lock',
    prepare: leaveDeadLock,
    run: ({ store }, text) => store.append(ID, say(text)),
    storedTexts: textsOfConversations,
  },
  {
    name: 'create a conversation',
    run: ({ store }, text) => store.create({ messages: say(text) }),
    storedTexts: textsOfConversations,
  },
  {
    name: 'create a conversation by a new key',
    run: ({ store }, text) => store.append('new-key', say(text), { create: true }),
    storedTexts: textsOfConversations,
  },
  {
    name: 'append to a conversation by its key',
    run: ({ store }, text) => store.append(KEY, say(text), { create: true }),
    storedTexts: textsOfConversations,
  },
  {
    name: 'tidy',
    prepare: async (place) => {
      await leaveDeadLock(place);
      await mkdir(join(place.logs, '20250124-1706102400999'));
      ageEmptyFolders(place.logs);
    },
    run: async ({ store }) => store.tidy(),
    storedTexts: () => Promise.resolve([]),
  },
  {
    name: 'open a store in a new place',
    run: ({ folder }) =>
      openConversationStore({ logsFolder: join(folder, 'a/b/c'), maxMessages: 9, fsync: true }),
    storedTexts: () => Promise.resolve([]),
  },
];

async function callsOf(operation: Operation): Promise<FsCall[]> {
  const place = await openPlace();
  await operation.prepare?.(place);
  return callsDuring(place.folder, () => operation.run(place, 'text'));
}

interface Fault {
  at: number;
  kind: Kind;
  isLasting: boolean;
}

function disturbance({ at, kind, isLasting }: Fault, index: number): Disturbance | undefined {
  if (index < at) return undefined;
  if (kind !== 'short-write') return index === at || isLasting ? { error: kind } : undefined;
  return index === at ? 'short-write' : isLasting ? { error: 'ENOSPC' } : undefined;
}

async function openHandles(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}

async function runWith(operation: Operation, fault: Fault): Promise<void> {
  const place = await openPlace();
  await operation.prepare?.(place);
  const before = await filesOf(place.folder);
  const handlesBefore = await openHandles();
  let index = -1;
  const restore = await tapFs(place.folder, {
    before() {
      index += 1;
      return disturbance(fault, index);
    },
  });
  const outcome = await operation
    .run(place, 'text')
    .then(
      () => ({ error: undefined }),
      (error: unknown) => ({ error }),
    )
    .finally(restore);
  await releaseLeftLocks(locksFolderIn(place.logs));

  const isDone = outcome.error === undefined;
  const isUnconfirmed =
    isAppError(outcome.error) && outcome.error.details?.['unconfirmed'] === true;
  if (!isDone) expect(isAppError(outcome.error), String(outcome.error)).toBe(true);
  expectFilesKept(before, await filesOf(place.folder), isDone || isUnconfirmed);
  const stored = (await operation.storedTexts(place)).filter((text) => text === 'text').length;
  expectCount(stored, operation, isDone ? [1] : isUnconfirmed ? [0, 1] : [0]);
  expect(await openHandles(), 'open file handles').toBeLessThanOrEqual(handlesBefore);

  const calls = await callsDuring(place.folder, () => operation.run(place, 'again'));
  await releaseLeftLocks(locksFolderIn(place.logs));
  expect(claimsIn(calls), 'claims of the next try').toBeLessThan(MOST_CLAIMS);
  const texts = await operation.storedTexts(place);
  expectCount(texts.filter((text) => text === 'again').length, operation, [1]);
  expectCount(texts.filter((text) => text === 'text').length, operation, [stored]);
  ageEmptyFolders(place.logs);
  await place.store.tidy();
  await expectNothingLeft(place, fault.isLasting);
  // The store cannot know the key of a file that it may not read, so a second conversation is allowed.
  if (fault.kind !== 'EACCES') await expectOneEach(place);
  await rm(place.folder, { recursive: true });
}

function expectCount(count: number, { name }: Operation, allowed: readonly number[]): void {
  if (name === 'tidy' || name.startsWith('open')) return;
  expect(allowed).toContain(count);
}

/** Old files keep their bytes. A file that may have changed is only parsed (`storedTexts` reads it). */
function expectFilesKept(
  before: Map<string, Buffer>,
  after: Map<string, Buffer>,
  mayChange: boolean,
): void {
  for (const [path, bytes] of before) {
    const now = after.get(path);
    expect(now, path).toBeDefined();
    if (!mayChange) expect(now?.equals(bytes), path).toBe(true);
  }
  if (!mayChange) {
    const added = [...after.keys()].filter(
      (path) => !before.has(path) && !/\.gitignore$|\/\.tmp-/.test(path),
    );
    expect(added).toEqual([]);
  }
}

/**
 * There is no temporary file, and no conversation folder without its file. If the removal failed too, a
 * temporary file stays until its process ends (kill.test.ts checks that it does not stay longer).
 */
async function expectNothingLeft({ folder, logs }: Place, isLasting: boolean): Promise<void> {
  for (const path of (await filesOf(folder)).keys()) {
    if (isLasting && path.includes('/.tmp-')) continue;
    expect(path).toMatch(/(conversation\.json|\.gitignore)$/);
  }
  for (const name of await readdir(logs)) {
    if (!name.startsWith('.'))
      expect(await readdir(join(logs, name))).toEqual(['conversation.json']);
  }
}

/** A fault during the search for a key must not lead to a second conversation with this key. */
async function expectOneEach({ logs }: Place): Promise<void> {
  const texts = [...(await filesOf(logs)).values()].map(String);
  for (const key of [KEY, 'new-key']) {
    expect(texts.filter((text) => text.includes(`"${key}"`)).length, key).toBeLessThan(2);
  }
}

describe('conversations while a file-system call fails', () => {
  it.each(OPERATIONS)(
    '$name: is done or fails with an error, keeps the old files, and works at the next try',
    async (operation) => {
      const calls = await callsOf(operation);
      expect(calls.length).toBeGreaterThan(2);
      let runs = 0;
      const failures: string[] = [];
      for (const [at, call] of sampled(operation.name, [...calls.entries()], 4)) {
        for (const kind of KINDS) {
          if (kind === 'short-write' && call.name !== 'write') continue;
          for (const isLasting of LASTING.includes(kind) ? [false, true] : [false]) {
            runs += 1;
            try {
              await runWith(operation, { at, kind, isLasting });
            } catch (error) {
              const where = `call ${at} ${call.name} ${call.path.slice(base.length)}`;
              failures.push(`${kind}${isLasting ? ' lasting' : ''} at ${where}: ${String(error)}`);
            }
          }
        }
      }
      console.log(`${operation.name}: ${calls.length} calls, ${runs} faults`);
      expect(failures).toEqual([]);
      expect(uncaught).toEqual([]);
    },
    timeLimitMs(300_000),
  );
});
