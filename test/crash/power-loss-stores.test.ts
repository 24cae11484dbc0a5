/**
 * A power cut at any step of a write to the knowledge graph (log, snapshot, compaction), notes, insights and
 * the state. After the next start everything that was acknowledged is there, every file can be read, and the
 * next write works. If the syncs are removed from the record, the simulation reports losses.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InsightStore } from '../../src/stores/insights/insights.js';
import { MemoryBank } from '../../src/stores/memory-bank/memory-bank.js';
import { StateStore } from '../../src/stores/state/state.js';
import {
  type Acknowledged,
  type Place,
  powerLoss,
  type Scenario,
  withoutSyncs,
} from '../support/power-loss.js';
import { timeLimitMs } from '../support/rounds.js';
import { factAbout, subjectsOf, syncedGraphIn } from '../support/synced-graph.js';

const { record, cutPowerAtEachStep, statesWithoutLoss } = powerLoss('power-loss-stores');
const ENOUGH_PROBLEMS = 4;

/** The acknowledged texts that are missing in `texts`. */
const lostOf = (acknowledged: readonly Acknowledged[], texts: readonly string[]): string[] =>
  acknowledged.filter(({ text }) => !texts.includes(text)).map(({ text }) => `lost: ${text}`);

const graphFolder = (root: string) => join(root, 'memory-bank');

async function addFact(
  place: Place,
  subject: string,
  graph = syncedGraphIn(graphFolder(place.root)),
) {
  await graph.add([factAbout(subject)]);
  place.acknowledge(subject);
  return graph;
}

let graphsTried = 0;

async function graphProblems(root: string, acknowledged: readonly Acknowledged[]) {
  const graph = syncedGraphIn(graphFolder(root));
  const found = await subjectsOf(graph);
  const problems = lostOf(acknowledged, found);
  if (new Set(found).size !== found.length) problems.push('a fact twice');
  // The next addition and compaction must work. To save time, only one disk of five is tried.
  graphsTried += 1;
  if (graphsTried % 5 !== 0) {
    await graph.close();
    return problems;
  }
  await graph.add([factAbout('next')]);
  await graph.save();
  await graph.close();
  const again = syncedGraphIn(graphFolder(root));
  const last = await subjectsOf(again);
  await again.close();
  if (!found.every((subject) => last.includes(subject)) || !last.includes('next'))
    problems.push('lost: by the next compaction');
  return problems;
}

const bankIn = (root: string, fsync: boolean) =>
  new MemoryBank({ folder: join(root, 'memory-bank'), maxFiles: 100, fsync });

/** `id` is the path. A version that is not yet acknowledged contains the text of the version before it. */
async function noteProblems(root: string, acknowledged: readonly Acknowledged[]) {
  const bank = bankIn(root, false);
  const problems: string[] = [];
  for (const { text, id: path = '' } of acknowledged) {
    const content = await bank.read(path).then((note) => note.content, String);
    if (!content.includes(text)) problems.push(`lost: ${text} of ${path}: ${content}`);
  }
  await bank.add('next.md', 'next');
  await bank.close();
  return problems;
}

const insightsIn = (root: string, fsync: boolean) =>
  new InsightStore({ folder: join(root, 'memory-bank', 'insights'), fsync });

async function insightProblems(root: string, acknowledged: readonly Acknowledged[]) {
  const store = insightsIn(root, false);
  const all = await store.list({ context: 'global' });
  const damaged = store.damaged().map(({ name }) => `damaged: ${name}`);
  await store.close();
  const contentOf = new Map(all.map(({ id, content }) => [id, content]));
  const lost = acknowledged.filter(({ text, id = '' }) => !contentOf.get(id)?.includes(text));
  return [...damaged, ...lost.map(({ text }) => `lost: ${text}`)];
}

const stateIn = (root: string, fsync: boolean) =>
  new StateStore({ logsFolder: join(root, 'conversation-logs'), fsync });

async function stateProblems(root: string, acknowledged: readonly Acknowledged[]) {
  const store = stateIn(root, false);
  const state = await store.get().catch(String);
  if (typeof state === 'string') return [`damaged: ${state}`];
  const { values } = state;
  await store.set({ values: { next: 'next' } });
  return lostOf(acknowledged, Object.values(values).map(String));
}

/** Each acknowledged text was removed permanently, so no note, no insight and no file in the trash has it. */
async function removalProblems(root: string, acknowledged: readonly Acknowledged[]) {
  const folder = join(root, 'memory-bank');
  const paths = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
    : [];
  const texts = paths
    .filter((path) => /\.(json|md)$/.test(path) && !path.includes('.locks'))
    .map((path) => readFileSync(join(folder, path), 'utf8'));
  return acknowledged
    .filter(({ text }) => texts.some((found) => found.includes(text)))
    .map(({ text }) => `lost: the removal of ${text}`);
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'the log of a new graph: one fact, several at once, and one of another process',
    problemsAt: graphProblems,
    async run(place) {
      const graph = await addFact(place, 'one');
      await addFact(place, 'two', graph);
      await Promise.all(['three', 'four'].map((subject) => addFact(place, subject, graph)));
      const other = await addFact(place, 'five');
      await Promise.all([graph.close(), other.close()]);
    },
  },
  {
    name: 'a graph: first snapshot, compaction by another process, one more fact',
    problemsAt: graphProblems,
    async run(place) {
      const graph = await addFact(place, 'one');
      await graph.save();
      const other = await addFact(place, 'two');
      await other.save();
      await addFact(place, 'three', graph);
      await Promise.all([graph.close(), other.close()]);
    },
  },
  {
    name: 'a graph whose log could not be synced into its folder',
    problemsAt: graphProblems,
    async run(place) {
      const graph = syncedGraphIn(graphFolder(place.root));
      place.failNext((call) => call.name === 'fsync' && call.path === graphFolder(place.root));
      await graph.add([factAbout('perhaps')]).catch(() => undefined);
      await addFact(place, 'after', graph);
      await graph.close();
    },
  },
  {
    name: 'notes: new, in a new folder, edited, renamed, deleted and restored',
    problemsAt: noteProblems,
    async run(place) {
      const bank = bankIn(place.root, true);
      await bank.add('one.md', 'first');
      place.acknowledge('first', 'one.md');
      await bank.add('ideas/two.md', 'second');
      place.acknowledge('second', 'ideas/two.md');
      await bank.edit('one.md', undefined, () => 'first, edited');
      place.acknowledge('first, edited', 'one.md');
      await bank.add('three.md', 'third');
      await bank.rename('three.md', 'plans/three.md', undefined);
      place.acknowledge('third', 'plans/three.md');
      await bank.add('four.md', 'fourth');
      const { trashName = '' } = await bank.delete('four.md', {});
      await bank.restore(trashName);
      place.acknowledge('fourth', 'four.md');
      await bank.close();
    },
  },
  {
    name: 'insights: saved, changed, trashed and restored',
    problemsAt: insightProblems,
    async run(place) {
      const store = insightsIn(place.root, true);
      const one = await store.save({ content: 'first', context: 'global' });
      place.acknowledge('first', one.id);
      const two = await store.save({ content: 'second', context: 'global' });
      place.acknowledge('second', two.id);
      await store.update(one.id, { content: 'first, changed' });
      place.acknowledge('first, changed', one.id);
      const three = await store.save({ content: 'third', context: 'global' });
      const name = (await store.trash(three.id))?.trashName ?? '';
      await store.restore(name);
      place.acknowledge('third', three.id);
      await store.close();
    },
  },
  {
    name: 'insights: several stored at once, and one of them replaced',
    problemsAt: insightProblems,
    async run(place) {
      const store = insightsIn(place.root, true);
      const put = async (content: string, n: number, updated_at: number) => {
        const id = `6fa459ea-ee8a-4ca4-894e-db77e160355${n}`;
        const insight = { id, content, context: 'global', created_at: 1, updated_at };
        await store.put({ insight, extra: {} }, { replacesOlder: true });
        place.acknowledge(content, id);
      };
      const texts = ['first', 'second', 'third'];
      await Promise.all(texts.map((content, n) => put(content, n, 1)));
      await Promise.all([put('second, changed', 1, 2), put('fourth', 3, 2)]);
      await store.close();
    },
  },
  {
    name: 'an insight and a deleted note that are removed permanently',
    problemsAt: removalProblems,
    async run(place) {
      const store = insightsIn(place.root, true);
      const { id } = await store.save({ content: 'first', context: 'global' });
      const bank = bankIn(place.root, true);
      await bank.add('two.md', 'second');
      const { trashName = '' } = await bank.delete('two.md', {});
      place.settle();
      await store.remove(id);
      place.acknowledge('first');
      await bank.purge(trashName);
      place.acknowledge('second');
      await store.close();
      await bank.close();
    },
  },
  {
    name: 'the state: values of two processes',
    problemsAt: stateProblems,
    async run(place) {
      const [one, other] = [stateIn(place.root, true), stateIn(place.root, true)];
      for (const [index, store] of [one, other, one].entries()) {
        await store.set({ values: { [`key${index}`]: `value${index}` } });
        place.acknowledge(`value${index}`);
      }
    },
  },
];

describe('power loss at every step of saving facts, notes, insights and the state', () => {
  it.each(SCENARIOS)(
    '$name: nothing that was acknowledged is lost',
    async (scenario) => {
      // How many states of the disk differ depends on the times of the steps: 49 to 98 in the smallest scenario.
      expect(await statesWithoutLoss(scenario)).toBeGreaterThan(25);
    },
    timeLimitMs(300_000),
  );

  it.each(
    SCENARIOS.filter(({ name }) => !name.includes('could not')).flatMap((scenario) =>
      (scenario.problemsAt === removalProblems // changes only names in folders
        ? (['folders'] as const)
        : (['folders', 'files'] as const)
      ).map((of) => ({ scenario, name: scenario.name, of })),
    ),
  )(
    '$name: the simulation finds losses if $of are not synced',
    async ({ scenario, of }) => {
      const { root, steps } = await record(scenario);
      const cut = { root, steps: withoutSyncs(steps, of) };
      const { problems } = await cutPowerAtEachStep(scenario, cut, ENOUGH_PROBLEMS);
      expect(
        [...problems].filter((problem) => /: (lost|damaged):/.test(problem)).length,
      ).toBeGreaterThan(0);
    },
    timeLimitMs(300_000),
  );
});
