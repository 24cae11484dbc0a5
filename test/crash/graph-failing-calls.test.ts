/**
 * Each file-system call of an addition and of a compaction of the knowledge graph fails in turn (one run
 * tries a quarter of the calls, `DAYBOOK_SOAK=2` all): once, or at every call until the fault ends. Either the
 * operation fails with an AppError, or it is really done. No fact is lost or stored twice, no file handle
 * leaks, no error is left uncaught, and the next try works. If the disk did not confirm an append, the
 * error has `details.unconfirmed`.
 */
import { cpSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import type { KnowledgeGraph } from '../../src/stores/knowledge-graph/knowledge-graph.js';
import { allOf, fact, graphIn } from '../stores/knowledge-graph/graph.js';
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

const ALL_KINDS = ['ENOSPC', 'EIO', 'short-write', 'EACCES', 'EMFILE'] as const;
type Kind = (typeof ALL_KINDS)[number];
const KINDS: readonly Kind[] = isSoak ? ALL_KINDS : ALL_KINDS.slice(0, 3);
const LASTING: readonly Kind[] = isSoak ? KINDS : ['ENOSPC'];

const base = tempFolder(memoryFolder());
const template = join(base, 'template');
const uncaught = uncaughtErrors();
let before: string[] = [];
let count = 0;

beforeAll(async () => {
  const graph = graphIn(template);
  await graph.add(['Ada', 'Grace', 'Alan'].map((name) => fact(name)));
  await graph.save();
  await graph.delete([fact('Grace')]);
  await graph.add([fact('Barbara'), fact('Ada', 'lives in', 'London')]);
  before = (await allOf(graph)).map((triple) => JSON.stringify(triple));
  await graph.close();
});

interface Operation {
  readonly name: string;
  readonly isWarm: boolean;
  run(graph: KnowledgeGraph): Promise<unknown>;
  readonly adds: number;
}

const OPERATIONS: readonly Operation[] = [
  { name: 'the first addition', isWarm: false, run: (graph) => graph.add([fact('new')]), adds: 1 },
  { name: 'the next addition', isWarm: true, run: (graph) => graph.add([fact('new')]), adds: 1 },
  { name: 'a compaction', isWarm: true, run: (graph) => graph.save(), adds: 0 },
  { name: 'the first reading', isWarm: false, run: (graph) => allOf(graph), adds: 0 },
];

async function openPlace({
  isWarm,
}: Operation): Promise<{ folder: string; graph: KnowledgeGraph }> {
  count += 1;
  const folder = join(base, String(count));
  cpSync(template, folder, { recursive: true });
  const graph = graphIn(folder, { fsync: true, syncsAppends: true });
  if (isWarm) await graph.delete([fact('nobody')]);
  return { folder, graph };
}

function disturbance(
  at: number,
  kind: Kind,
  isLasting: boolean,
  index: number,
): Disturbance | undefined {
  if (index < at) return undefined;
  if (kind !== 'short-write') return index === at || isLasting ? { error: kind } : undefined;
  return index === at ? 'short-write' : isLasting ? { error: 'ENOSPC' } : undefined;
}

async function callsOf(operation: Operation): Promise<FsCall[]> {
  const { folder, graph } = await openPlace(operation);
  const calls = await callsDuring(folder, () => operation.run(graph));
  await graph.close();
  return calls;
}

const openHandles = async () => (await readdir('/proc/self/fd')).length;

async function runWith(operation: Operation, at: number, kind: Kind, isLasting: boolean) {
  const handlesBefore = await openHandles();
  const { folder, graph } = await openPlace(operation);
  let index = -1;
  const restore = await tapFs(folder, {
    before() {
      index += 1;
      return disturbance(at, kind, isLasting, index);
    },
  });
  const outcome = await operation
    .run(graph)
    .then(
      () => ({ error: undefined }),
      (error: unknown) => ({ error }),
    )
    .finally(restore);
  const { error } = outcome;
  if (error !== undefined) expect(isAppError(error), String(error)).toBe(true);
  const isUnconfirmed = isAppError(error) && error.details?.['unconfirmed'] === true;

  await new Promise((resolve) => setImmediate(resolve));
  for (const each of [graph, graphIn(folder)]) {
    const facts = (await allOf(each)).map((triple) => JSON.stringify(triple));
    expect(facts.slice(0, before.length)).toEqual(before);
    const added = facts.length - before.length;
    if (error === undefined) expect(added).toBe(operation.adds);
    else expect(added).toBeLessThanOrEqual(isUnconfirmed ? operation.adds : 0);
  }
  const calls = await callsDuring(folder, async () => {
    await graph.add([fact('new'), fact('again')]);
    await graph.save();
  });
  expect(claimsIn(calls), 'claims of the next try').toBeLessThan(MOST_CLAIMS);
  const last = await allOf(graphIn(folder));
  expect(last).toHaveLength(before.length + 2);
  await graph.close();
  expect(await openHandles(), 'open file handles').toBeLessThanOrEqual(handlesBefore);
  rmSync(folder, { recursive: true });
}

describe('the knowledge graph while a file-system call fails', () => {
  it.each(OPERATIONS)(
    '$name: is done or fails with an error, loses no fact, and works at the next try',
    async (operation) => {
      const calls = await callsOf(operation);
      expect(calls.length).toBeGreaterThan(2);
      const failures: string[] = [];
      let runs = 0;
      for (const [at, call] of sampled(operation.name, [...calls.entries()], 4)) {
        for (const kind of KINDS) {
          if (kind === 'short-write' && call.name !== 'write') continue;
          for (const isLasting of LASTING.includes(kind) ? [false, true] : [false]) {
            runs += 1;
            const where = `${kind}${isLasting ? ' lasting' : ''} at call ${at} ${call.name} ${call.path.slice(base.length)}`;
            await runWith(operation, at, kind, isLasting).catch((error: unknown) => {
              failures.push(`${where}: ${String(error)}`);
            });
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
