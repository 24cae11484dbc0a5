/**
 * Proves: whatever a power cut may take at any step of opening a store, creating, appending, creating by
 * a key and adding to a log (un-synced data lost, cut or zeroed; un-synced names lost one by one or
 * out of order), every message acknowledged before it is there, every conversation.json parses, and the
 * next start clears the rest. And proves that this simulation would see it: with the syncs of folders,
 * or of files, taken out of the record it finds what was lost.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppendLog } from '../../src/files/append-log.js';
import { plainCodec } from '../../src/files/codec.js';
import { type ConversationStore, openConversationStore } from '../../src/stores/conversations.js';
import { DiskModel, materialise, type Step, stepOf } from '../support/disk-model.js';
import { type FsCall, tapFs } from '../support/fs-tap.js';
import { seededRandom, tempFolder, timeLimitMs } from '../support/rounds.js';

const base = tempFolder('memory');
const random = seededRandom('power-loss');
/** To show that losses are found; a damaged file is read for a whole second before it counts as such. */
const ENOUGH_PROBLEMS = 4;
let placeCount = 0;

interface Place {
  root: string;
  steps: Step[];
  open(): Promise<ConversationStore>;
  openLog(): AppendLog;
  /** Saves, and records that it was acknowledged. */
  append(store: ConversationStore, ref: string, text: string): Promise<string>;
  create(store: ConversationStore, text: string): Promise<string>;
  addLine(log: AppendLog, text: string): Promise<void>;
  /** The next call that this describes fails with EIO, once. */
  failNext(isIt: (call: FsCall) => boolean): void;
}

interface Scenario {
  name: string;
  run(place: Place): Promise<void>;
}

const logsOf = (root: string) => join(root, 'new', 'conversation-logs');
const openStore = (root: string, fsync: boolean) =>
  openConversationStore({ logsFolder: logsOf(root), maxMessages: 100, fsync });
const openLog = (root: string, fsync: boolean) =>
  new AppendLog({
    path: join(root, 'some.log'),
    locksFolder: join(root, '.locks'),
    name: 'log',
    codec: plainCodec,
    fsync,
  });

const say = (content: string) => [{ role: 'user', content }] as const;
const isSyncOf = (part: string) => (call: FsCall) =>
  call.name === 'fsync' && call.path.endsWith(part);

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a new store: create, append, append several together',
    async run(place) {
      const store = await place.open();
      const id = await place.create(store, 'first');
      await place.append(store, id, 'second');
      await Promise.all(['third', 'fourth'].map((text) => place.append(store, id, text)));
      await store.tidy();
    },
  },
  {
    name: 'by a key, from two stores',
    async run(place) {
      const [one, other] = [await place.open(), await place.open()];
      await place.append(one, 'key', 'first');
      await place.append(other, 'key', 'second');
      await place.append(one, 'other-key', 'third');
    },
  },
  {
    name: 'added to a conversation whose creator could not confirm it',
    async run(place) {
      const [one, other] = [await place.open(), await place.open()];
      place.failNext((call) => call.name === 'fsync' && /\d{8}-\d{13}$/.test(call.path));
      await expect(one.append('key', say('lost?'), { create: true })).rejects.toMatchObject({
        details: { unconfirmed: true },
      });
      await place.append(other, 'key', 'second');
    },
  },
  {
    name: 'tried again after the logs folder could not be synced',
    async run(place) {
      const store = await place.open();
      place.failNext(isSyncOf('conversation-logs'));
      await expect(store.create({ messages: say('lost') })).rejects.toThrow();
      await place.create(store, 'again');
    },
  },
  {
    name: 'a log: first line, next, several together',
    async run(place) {
      const log = place.openLog();
      await place.addLine(log, 'one');
      await place.addLine(log, 'two');
      await Promise.all(['three', 'four'].map((text) => place.addLine(log, text)));
    },
  },
  {
    name: 'a log whose maker could not sync its folder',
    async run(place) {
      place.failNext((call) => call.name === 'fsync' && call.path === place.root);
      await expect(place.openLog().append('lost?')).rejects.toThrow();
      await place.addLine(place.openLog(), 'next');
    },
  },
];

async function record({ run }: Scenario): Promise<{ root: string; steps: Step[] }> {
  placeCount += 1;
  const root = join(base, String(placeCount));
  await mkdir(root);
  const steps: Step[] = [];
  let failing: ((call: FsCall) => boolean) | undefined;
  const restore = await tapFs(root, {
    before(call) {
      if (!failing?.(call)) return undefined;
      failing = undefined;
      return { error: 'EIO' };
    },
    after(call, result) {
      const step = call.path.startsWith(root) ? stepOf(call, result) : undefined;
      if (step !== undefined) steps.push(step);
    },
  });
  const place: Place = {
    root,
    steps,
    open: () => openStore(root, true),
    openLog: () => openLog(root, true),
    async append(store, ref, text) {
      const { head } = await store.append(ref, say(text), { create: true });
      steps.push({ do: 'acknowledge', text, id: head.conversationId });
      return head.conversationId;
    },
    async create(store, text) {
      const { conversationId: id } = await store.create({ messages: say(text) });
      steps.push({ do: 'acknowledge', text, id });
      return id;
    },
    async addLine(log, text) {
      await log.append(text);
      steps.push({ do: 'acknowledge', text });
    },
    failNext(isIt) {
      failing = isIt;
    },
  };
  await run(place).finally(restore);
  return { root, steps };
}

type Acknowledged = Extract<Step, { do: 'acknowledge' }>;

/** What is wrong with the store on this disk after a start; nothing, that is. */
async function problemsAt(root: string, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const store = await openStore(root, false);
  await store.tidy();
  await store.list();
  const problems = store.damaged().map(({ error }) => `damaged: ${error.message}`);
  const lines = acknowledged.some(({ id }) => id === undefined)
    ? (await openLog(root, false).read()).entries
    : [];
  for (const { text, id } of acknowledged) {
    const texts =
      id === undefined
        ? lines
        : await store.load(id).then(
            ({ messages }) => messages.map(({ content }) => content),
            () => [],
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

interface Tried {
  states: number;
  problems: Set<string>;
}

/** Cuts the power after each step in turn, in every way that the model knows. */
async function cutPowerAtEachStep(
  root: string,
  steps: readonly Step[],
  enoughProblems = Number.POSITIVE_INFINITY,
): Promise<Tried> {
  const model = new DiskModel(root);
  const tried: Tried = { states: 0, problems: new Set() };
  const seen = new Set<string>();
  const acknowledged: Acknowledged[] = [];
  const there = join(base, 'after');
  for (const [index, step] of steps.entries()) {
    if (step.do === 'acknowledge') acknowledged.push(step);
    model.apply(step);
    for (const state of model.crashStates(random)) {
      const tree = model.treeOf(state);
      const digest = digestOf(tree, acknowledged.length);
      if (seen.has(digest)) continue;
      seen.add(digest);
      tried.states += 1;
      materialise(tree, there);
      for (const problem of await problemsAt(there, acknowledged)) {
        tried.problems.add(`after step ${index} (${step.do}): ${problem}`);
      }
      rmSync(there, { recursive: true });
      if (tried.problems.size >= enoughProblems) return tried;
    }
  }
  return tried;
}

function digestOf(tree: ReadonlyMap<string, Buffer | undefined>, acknowledged: number): string {
  const hash = createHash('sha256').update(String(acknowledged));
  for (const path of [...tree.keys()].sort()) {
    hash.update(`\0${path}\0`).update(tree.get(path) ?? 'folder');
  }
  return hash.digest('hex');
}

/** The record as a store would have made it that does not sync folders, or files. */
function withoutSyncs(steps: readonly Step[], of: 'folders' | 'files'): Step[] {
  const folders = new Set<number>();
  return steps.filter((step) => {
    if (step.do === 'open') {
      if (step.flags === 'r') folders.add(step.fd);
      else folders.delete(step.fd);
    }
    return step.do !== 'fsync' || folders.has(step.fd) !== (of === 'folders');
  });
}

describe('power loss at every step', () => {
  it.each(SCENARIOS)(
    '$name',
    async (scenario) => {
      const { root, steps } = await record(scenario);
      const { states, problems } = await cutPowerAtEachStep(root, steps);
      console.log(`power-loss, ${scenario.name}: ${steps.length} steps, ${states} states`);
      expect([...problems]).toEqual([]);
      expect(states).toBeGreaterThan(50);
    },
    timeLimitMs(300_000),
  );

  it.each(['folders', 'files'] as const)(
    'is seen by this simulation where %s are not synced',
    async (of) => {
      for (const scenario of [SCENARIOS[0], SCENARIOS[4]]) {
        if (scenario === undefined) throw new Error('no scenario');
        const { root, steps } = await record(scenario);
        const { problems } = await cutPowerAtEachStep(
          root,
          withoutSyncs(steps, of),
          ENOUGH_PROBLEMS,
        );
        const found = of === 'folders' ? /: lost:/ : /: (lost|damaged):/;
        const lost = [...problems].filter((problem) => found.test(problem));
        console.log(`power-loss without syncing ${of}: ${lost[0]}, …`);
        expect(lost.length).toBeGreaterThan(0);
      }
    },
    timeLimitMs(300_000),
  );
});
