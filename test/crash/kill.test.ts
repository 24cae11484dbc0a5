/**
 * A process is killed (kill -9) at random moments while it saves messages (alone, in groups, by key, as new
 * conversations) and adds facts to the graph. Nothing that was acknowledged is lost, no file is damaged, and
 * after the next start there is no temporary file, lock or empty folder.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { sweepLocks } from '../../src/files/locks/leftover-locks.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { ageEmptyFolders } from '../support/age-folders.js';
import { Child } from '../support/child.js';
import { printedRandom, rounds, timeLimitMs } from '../support/rounds.js';
import { subjectsOf, syncedGraphIn } from '../support/synced-graph.js';
import { tempFolder } from '../support/temp-folder.js';
import type { Acknowledged, WriterTask } from './children/writer.js';

const ROUNDS = 60;
/** Long enough for a few dozen messages, short enough that some kills happen during the first messages. */
const LONGEST_LIFE_MS = 40;
/** After this number of rounds a new conversation is used. */
const ROUNDS_PER_CONVERSATION = 20;

const root = tempFolder();
const logs = join(root, 'conversation-logs');
const graphFolder = join(root, 'memory-bank');
const graphLocks = join(graphFolder, '.locks');
const task: WriterTask = { logs, graphFolder };

const openStore = () => openConversationStore({ logsFolder: logs, maxMessages: 1e6, fsync: true });

async function startWriter(): Promise<Child> {
  const writer = new Child('writer', task);
  await writer.next();
  return writer;
}

/** Kills the writer and returns everything that the writer acknowledged before. */
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
  const graph = syncedGraphIn(graphFolder);
  const facts = new Set(await subjectsOf(graph));
  await graph.close();
  const loaded = new Map<string, Set<string>>();
  for (const { text, id } of told) {
    if (id === undefined) {
      expect(facts.has(text), text).toBe(true);
      continue;
    }
    const texts =
      loaded.get(id) ?? new Set((await store.load(id)).messages.map(({ content }) => content));
    loaded.set(id, texts);
    expect(texts.has(text), `${text} in ${id}`).toBe(true);
  }
}

/** After a start every file parses, and the killed processes have left no lock or temporary file. */
function expectTidy(): void {
  expect(readdirSync(join(logs, '.locks'))).toEqual([]);
  expect(readdirSync(graphLocks)).toEqual([]);
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

describe('kill -9 while messages and facts are saved', () => {
  it(
    `nothing that was acknowledged is lost in ${ROUNDS} rounds`,
    async () => {
      const random = printedRandom('kill');
      const all: Acknowledged[] = [];
      let ref = '';
      let roundsWithAcks = 0;
      let next = startWriter();
      for (let round = 0; round < rounds(ROUNDS); round += 1) {
        const writer = await next;
        next = startWriter(); // starts while this writer works, because a start takes longest
        if (round % ROUNDS_PER_CONVERSATION === 0) {
          ref = (await (await openStore()).create({})).conversationId;
        }
        const key = `key-${Math.floor(round / 3)}`;
        writer.send({ do: 'stream', ref, key, prefix: `round${round}`, first: round });
        const told = await killed(writer, random() < 0.75, random() * LONGEST_LIFE_MS);
        if (told.length > 0) roundsWithAcks += 1;
        all.push(...told);
        await (await openStore()).tidy();
        await sweepLocks(graphLocks);
        await expectAllThere(told);
      }
      await (await next).stop();
      ageEmptyFolders(logs);
      await (await openStore()).tidy();
      await sweepLocks(graphLocks);
      expectTidy();
      await expectAllThere(all);
      const graph = syncedGraphIn(graphFolder);
      const { open: facts, damagedLines } = await graph.stats();
      await graph.close();
      console.log(
        `kill: ${all.length} acknowledged in ${roundsWithAcks} of ${rounds(ROUNDS)} rounds, ` +
          `${facts} facts, ${damagedLines} torn lines`,
      );
      expect(roundsWithAcks).toBeGreaterThan(rounds(ROUNDS) / 4);
      expect((await (await openStore()).list()).length).toBeGreaterThan(rounds(ROUNDS) / 20);
      expect(facts).toBeGreaterThan(rounds(ROUNDS) / 20);
    },
    timeLimitMs(300_000),
  );
});
