/**
 * Proves: kill -9 at random moments while messages are saved (alone, in groups, by key, as new
 * conversations, as lines of a log) loses no acknowledged message, damages no file, and leaves no
 * temporary file, lock or empty folder after the next start.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { AppendLog } from '../../src/files/append-log.js';
import { plainCodec } from '../../src/files/codec.js';
import { sweepLocks } from '../../src/files/file-lock.js';
import { openConversationStore } from '../../src/stores/conversations.js';
import { Child } from '../support/child.js';
import { rounds, seededRandom, tempFolder, timeLimitMs } from '../support/rounds.js';
import type { Acknowledged, WriterTask } from './children/writer.js';

const ROUNDS = 200;
/** Long enough for a few dozen messages, short enough that the first ones are hit as well. */
const LONGEST_LIFE_MS = 40;
/** A conversation is written for so many rounds, then the next one. */
const ROUNDS_PER_CONVERSATION = 20;

const root = tempFolder();
const logs = join(root, 'conversation-logs');
const task: WriterTask = {
  logs,
  logPath: join(root, 'some.log'),
  locksFolder: join(root, '.locks'),
};

const openStore = () => openConversationStore({ logsFolder: logs, maxMessages: 1e6, fsync: true });
const log = new AppendLog({
  path: task.logPath,
  locksFolder: task.locksFolder,
  name: 'log',
  codec: plainCodec,
  fsync: true,
});

async function startWriter(): Promise<Child> {
  const writer = new Child('writer', task);
  await writer.next();
  return writer;
}

/** Everything it was told before it died. */
async function killed(
  writer: Child,
  isAfterFirst: boolean,
  afterMs: number,
): Promise<Acknowledged[]> {
  const told = isAfterFirst ? [await writer.next<Acknowledged>()] : [];
  await sleep(afterMs);
  writer.kill('SIGKILL');
  await writer.ended();
  for (let line = await writer.nextLine(); line !== undefined; line = await writer.nextLine()) {
    told.push(JSON.parse(line) as Acknowledged);
  }
  return told;
}

async function expectAllThere(told: readonly Acknowledged[]): Promise<void> {
  const store = await openStore();
  const lines = new Set((await log.read()).entries);
  const loaded = new Map<string, Set<string>>();
  for (const { text, id } of told) {
    if (id === undefined) {
      expect(lines.has(text), text).toBe(true);
      continue;
    }
    const texts =
      loaded.get(id) ?? new Set((await store.load(id)).messages.map(({ content }) => content));
    loaded.set(id, texts);
    expect(texts.has(text), `${text} in ${id}`).toBe(true);
  }
}

/** After a start: every file parses, and nothing of the dead is left. */
function expectTidy(): void {
  expect(readdirSync(join(logs, '.locks'))).toEqual([]);
  expect(readdirSync(task.locksFolder)).toEqual([]);
  for (const name of readdirSync(logs)) {
    if (name.startsWith('.')) {
      expect(['.locks', '.gitignore']).toContain(name);
      continue;
    }
    const folder = join(logs, name);
    expect(readdirSync(folder), name).toEqual(['conversation.json']);
    JSON.parse(readFileSync(join(folder, 'conversation.json'), 'utf8'));
  }
}

describe('kill -9 while messages are saved', () => {
  it(
    `${ROUNDS} rounds`,
    async () => {
      const random = seededRandom('kill');
      const all: Acknowledged[] = [];
      let ref = '';
      let roundsWithAcks = 0;
      let next = startWriter();
      for (let round = 0; round < rounds(ROUNDS); round += 1) {
        const writer = await next;
        next = startWriter(); // while this one works: starting takes longest
        if (round % ROUNDS_PER_CONVERSATION === 0) {
          ref = (await (await openStore()).create({})).conversationId;
        }
        const key = `key-${Math.floor(round / 3)}`;
        writer.send({ do: 'stream', ref, key, prefix: `round${round}`, first: round });
        const told = await killed(writer, random() < 0.75, random() * LONGEST_LIFE_MS);
        if (told.length > 0) roundsWithAcks += 1;
        all.push(...told);
        await (await openStore()).tidy();
        await sweepLocks(task.locksFolder);
        await expectAllThere(told);
      }
      await (await next).stop();
      await (await openStore()).tidy();
      await sweepLocks(task.locksFolder);
      expectTidy();
      await expectAllThere(all);
      const { damaged, entries } = await log.read();
      console.log(
        `kill: ${all.length} acknowledged in ${roundsWithAcks} of ${rounds(ROUNDS)} rounds, ` +
          `${entries.length} log lines, ${damaged.length} torn ones`,
      );
      expect(roundsWithAcks).toBeGreaterThan(rounds(ROUNDS) / 4);
      expect((await (await openStore()).list()).length).toBeGreaterThan(10);
    },
    timeLimitMs(300_000),
  );
});
