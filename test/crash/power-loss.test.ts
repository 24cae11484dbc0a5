/**
 * A power cut at any step of opening a store, creating a conversation, appending to it and creating one by
 * a key. Data that was not synced is lost, cut or zeroed; names that were not synced are lost one by one or
 * out of order. Every acknowledged message is still there, every conversation.json parses, and the next
 * start removes all other files. The last test checks the simulation itself: if the syncs of folders or of
 * files are removed from the record, it reports losses.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ConversationStore,
  openConversationStore,
} from '../../src/stores/conversations/conversations.js';
import { ageEmptyFolders } from '../support/age-folders.js';
import type { FsCall } from '../support/fs-tap.js';
import {
  type Acknowledged,
  type Place,
  powerLoss,
  type Scenario,
  withoutSyncs,
} from '../support/power-loss.js';
import { timeLimitMs } from '../support/rounds.js';

const { record, cutPowerAtEachStep, statesWithoutLoss } = powerLoss('power-loss');
/** Few problems are enough to show that losses are found: a file counts as damaged only after a second. */
const ENOUGH_PROBLEMS = 4;

const logsOf = (root: string) => join(root, 'new', 'conversation-logs');
const openStore = (root: string, fsync: boolean) =>
  openConversationStore({ logsFolder: logsOf(root), maxMessages: 100, fsync });
const say = (content: string) => [{ role: 'user', content }] as const;
const isSyncOf = (part: string) => (call: FsCall) =>
  call.name === 'fsync' && call.path.endsWith(part);

const open = ({ root }: Place) => openStore(root, true);

async function append(place: Place, store: ConversationStore, ref: string, text: string) {
  const { head } = await store.append(ref, say(text), { create: true });
  place.acknowledge(text, head.conversationId);
}

async function create(place: Place, store: ConversationStore, text: string): Promise<string> {
  const { conversationId } = await store.create({ messages: say(text) });
  place.acknowledge(text, conversationId);
  return conversationId;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a new store: create, append, append several together',
    problemsAt,
    async run(place) {
      const store = await open(place);
      const id = await create(place, store, 'first');
      await append(place, store, id, 'second');
      await Promise.all(['third', 'fourth'].map((text) => append(place, store, id, text)));
      await store.tidy();
    },
  },
  {
    name: 'create and append by a key, from two stores',
    problemsAt,
    async run(place) {
      const [one, other] = [await open(place), await open(place)];
      await append(place, one, 'key', 'first');
      await append(place, other, 'key', 'second');
      await append(place, one, 'other-key', 'third');
    },
  },
  {
    name: 'append to a conversation whose creation was not confirmed',
    problemsAt,
    async run(place) {
      const [one, other] = [await open(place), await open(place)];
      place.failNext((call) => call.name === 'fsync' && /\d{8}-\d{13}$/.test(call.path));
      await expect(one.append('key', say('lost?'), { create: true })).rejects.toMatchObject({
        details: { unconfirmed: true },
      });
      await append(place, other, 'key', 'second');
    },
  },
  {
    name: 'create several conversations as one batch',
    problemsAt,
    async run(place) {
      const store = await open(place);
      const texts = ['first', 'second', 'third', 'fourth'];
      const many = (named: readonly string[]) =>
        Promise.all(
          named.map(async (text) => {
            const fields = { createdAt: '2026-01-02T00:00:00.000Z', clientId: `key-of-${text}` };
            const id = await store.batches.add({ fields, messages: say(text) });
            place.acknowledge(text, id);
          }),
        );
      await many(texts.slice(0, 3));
      await many(texts.slice(3));
    },
  },
  {
    name: 'create again after a failed sync of the logs folder',
    problemsAt,
    async run(place) {
      const store = await open(place);
      place.failNext(isSyncOf('conversation-logs'));
      await expect(store.create({ messages: say('lost') })).rejects.toThrow();
      await create(place, store, 'again');
    },
  },
];

/** The problems that a start finds on this disk. The list must be empty. */
async function problemsAt(root: string, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const store = await openStore(root, false);
  ageEmptyFolders(logsOf(root));
  await store.tidy();
  await store.list();
  const problems = store.damaged().map(({ error }) => `damaged: ${error.message}`);
  for (const { text, id } of acknowledged) {
    const texts = await store.load(id ?? '').then(
      ({ messages }) => messages.map(({ content }) => content),
      (): string[] => [],
    );
    if (!texts.includes(text)) problems.push(`lost: ${text}`);
  }
  const logs = logsOf(root);
  for (const name of readdirSync(logs)) {
    const entries = name.startsWith('.') ? [] : readdirSync(join(logs, name));
    if (name.startsWith('.tmp-') || (!name.startsWith('.') && entries.length !== 1))
      problems.push(`left: ${name} with ${entries.join(', ')}`);
  }
  const locks = join(logs, '.locks');
  if (existsSync(locks) && readdirSync(locks).length > 0) problems.push('left: locks');
  return problems;
}

describe('power loss at every step of saving conversations', () => {
  it.each(SCENARIOS)(
    '$name: no acknowledged message is lost',
    async (scenario) => {
      expect(await statesWithoutLoss(scenario)).toBeGreaterThan(50);
    },
    timeLimitMs(300_000),
  );

  it.each(['folders', 'files'] as const)(
    'the simulation finds losses if a store does not sync %s',
    async (of) => {
      const [scenario] = SCENARIOS;
      if (scenario === undefined) throw new Error('no scenario');
      const { root, steps } = await record(scenario);
      const cut = { root, steps: withoutSyncs(steps, of) };
      const { problems } = await cutPowerAtEachStep(scenario, cut, ENOUGH_PROBLEMS);
      const found = of === 'folders' ? /: lost:/ : /: (lost|damaged):/;
      const lost = [...problems].filter((problem) => found.test(problem));
      console.log(`power-loss without syncing ${of}: ${lost[0]}, …`);
      expect(lost.length).toBeGreaterThan(0);
    },
    timeLimitMs(300_000),
  );
});
