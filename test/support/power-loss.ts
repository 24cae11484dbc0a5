/**
 * Simulates power cuts: records the file-system calls of a scenario. After each call it starts the store on
 * every disk that a power cut may leave (disk-model.ts). Confirmed data must not be lost.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { DiskModel, materialise, type Step, stepOf, type Tree } from './disk-model.js';
import { type FsCall, tapFs } from './fs-tap.js';
import { memoryFolder } from './memory-folder.js';
import { isSoak, printedRandom } from './rounds.js';
import { tempFolder } from './temp-folder.js';

/** The number of states of a long scenario that one run tries; `DAYBOOK_SOAK=2` tries all. */
const SHARE = isSoak ? 1 : 0.1;
const LONG_STEPS = 150;

export type Acknowledged = Extract<Step, { do: 'acknowledge' }>;

export interface Place {
  readonly root: string;
  /** After this call the text must survive, in the conversation `id` if one is given. */
  acknowledge(text: string, id?: string): void;
  /** All data on the disk is safe now. The power is cut only after this call. */
  settle(): void;
  /** The next call that matches fails once with EIO. */
  failNext(isIt: (call: FsCall) => boolean): void;
}

export interface Scenario {
  readonly name: string;
  run(place: Place): Promise<void>;
  /** The problems of this disk after a start; an empty list if there are none. */
  problemsAt(root: string, acknowledged: readonly Acknowledged[]): Promise<string[]>;
}

export interface Tried {
  states: number;
  problems: Set<string>;
}

interface CutDisk {
  readonly when: string;
  readonly tree: Tree;
  readonly acknowledged: readonly Acknowledged[];
}

/** Records scenarios, and tries each of them in its own folder. */
export function powerLoss(what: string) {
  const base = tempFolder(memoryFolder());
  const random = printedRandom(what);
  let count = 0;

  async function record({ run }: Scenario): Promise<{ root: string; steps: Step[] }> {
    count += 1;
    const root = join(base, String(count));
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
      acknowledge: (text, id) =>
        steps.push({ do: 'acknowledge', text, ...(id === undefined ? {} : { id }) }),
      settle: () => steps.push({ do: 'settle', tree: treeOn(root) }),
      failNext(isIt) {
        failing = isIt;
      },
    };
    await run(place).finally(restore);
    return { root, steps };
  }

  /** All different disks that the model returns after the steps. */
  function* disksAfterEachStep(steps: readonly Step[], root: string): Generator<CutDisk> {
    const model = new DiskModel(root);
    const seen = new Set<string>();
    const acknowledged: Acknowledged[] = [];
    const settled = steps.findLastIndex((step) => step.do === 'settle');
    for (const [index, step] of steps.entries()) {
      if (step.do === 'acknowledge') acknowledged.push(step);
      if (index < settled) continue; // the power is cut only after `settled`
      model.apply(step);
      for (const state of model.crashStates(random)) {
        const tree = model.treeOf(state);
        const digest = digestOf(tree, acknowledged.length);
        if (seen.has(digest)) continue;
        seen.add(digest);
        const when = `after step ${index} (${step.do})`;
        yield { when, tree, acknowledged: acknowledged.slice() };
      }
    }
  }

  /**
   * Cuts the power after each step, in every way that the model knows. Of a long scenario, each run tries
   * another random share. If the caller needs only a few problems, the order is random, because the first
   * steps have none.
   */
  async function cutPowerAtEachStep(
    { problemsAt }: Scenario,
    { root, steps }: { root: string; steps: readonly Step[] },
    enoughProblems = Number.POSITIVE_INFINITY,
  ): Promise<Tried> {
    const tried: Tried = { states: 0, problems: new Set() };
    const isAnyOrder = enoughProblems < Number.POSITIVE_INFINITY;
    const settled = steps.findLastIndex((step) => step.do === 'settle');
    const isShort = steps.length - settled < LONG_STEPS;
    const inOrder = disksAfterEachStep(steps, root);
    for (const { when, tree, acknowledged } of isAnyOrder ? shuffled(inOrder, random) : inOrder) {
      if (!isShort && !isAnyOrder && random() > SHARE) continue;
      tried.states += 1;
      const there = join(base, `after-${tried.states}`);
      materialise(tree, there);
      for (const problem of await problemsAt(there, acknowledged)) {
        tried.problems.add(`${when}: ${problem}`);
      }
      rmSync(there, { recursive: true });
      if (tried.problems.size >= enoughProblems) return tried;
    }
    return tried;
  }

  /** Expects that no cut loses data. Returns the number of states that were tried, and prints it. */
  async function statesWithoutLoss(scenario: Scenario): Promise<number> {
    const recorded = await record(scenario);
    const { states, problems } = await cutPowerAtEachStep(scenario, recorded);
    console.log(`power-loss, ${scenario.name}: ${recorded.steps.length} steps, ${states} states`);
    expect([...problems]).toEqual([]);
    return states;
  }

  return { record, cutPowerAtEachStep, statesWithoutLoss };
}

function shuffled<T>(items: Iterable<T>, random: () => number): T[] {
  const keyed = [...items].map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

function treeOn(root: string): Tree {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [relative(root, path), entry.isFile() ? readFileSync(path) : undefined] as const;
  });
  // A folder comes before its entries.
  return new Map(paths.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function digestOf(tree: Tree, acknowledged: number): string {
  const hash = createHash('sha256').update(String(acknowledged));
  for (const path of [...tree.keys()].sort()) {
    hash.update(`\0${path}\0`).update(tree.get(path) ?? 'folder');
  }
  return hash.digest('hex');
}

/** The record as it would be for a store that does not sync folders, or files. */
export function withoutSyncs(steps: readonly Step[], of: 'folders' | 'files'): Step[] {
  const folders = new Set<number>();
  return steps.filter((step) => {
    if (step.do === 'open') {
      if (step.flags === 'r') folders.add(step.fd);
      else folders.delete(step.fd);
    }
    return step.do !== 'fsync' || folders.has(step.fd) !== (of === 'folders');
  });
}
