/**
 * A process that works on a knowledge graph. It adds and deletes triples in groups while another process
 * does the same, or it kills or stops itself right before a chosen file-system call.
 */
import { join } from 'node:path';
import { isAppError } from '../../../src/base/errors.js';
import { KnowledgeGraph } from '../../../src/stores/knowledge-graph/knowledge-graph.js';
import { interruptedAt } from '../../support/interrupted-at.js';
import { commands, say, task } from './lines.js';

export interface GraphTask {
  folder: string;
  maxTriples: number;
  syncsAppends: boolean;
}

export type GraphCommand =
  | { do: 'churn'; name: string; count: number }
  /** Deletes nine of ten of the triples that `churn` kept. */
  | { do: 'prune'; name: string }
  | { do: 'list' }
  | { do: 'save'; at: number }
  | { do: 'add'; subject: string; at: number; signal?: 'SIGSTOP' };

export interface ChurnResult {
  /** The numbers of the triples of this process that must be in the graph. */
  kept: number[];
  /** How many of the triples that both processes add were new when this process added them. */
  sharedAdded: number;
  refusals: number;
  /** Errors that this process found. */
  wrong: string[];
}

const GROUP = 40;
const { folder, maxTriples, syncsAppends } = task<GraphTask>();
const graph = new KnowledgeGraph({
  snapshotPath: join(folder, 'kg_snapshot.json'),
  walPath: join(folder, 'kg_wal.log'),
  fsync: syncsAppends,
  syncsAppends,
  maxTriples,
  evict: 'off',
  ttlDays: Number.POSITIVE_INFINITY,
});

const fact = (subject: string) => ({ subject, predicate: 'is', object: 'there' });

const kept = new Set<number>();

async function removeOwn(name: string, numbers: readonly number[], wrong: string[]): Promise<void> {
  for (const n of numbers) kept.delete(n); // before the next await, so no other call takes the same
  const gone = await graph.delete(numbers.map((n) => fact(`${name} ${n}`)));
  if (gone.some(({ removed }) => !removed)) wrong.push('a kept triple was not there');
}

async function churn(name: string, count: number): Promise<ChurnResult> {
  const result: ChurnResult = { kept: [], sharedAdded: 0, refusals: 0, wrong: [] };
  const add = async (n: number): Promise<void> => {
    try {
      const { triples } = await graph.add([fact(`${name} ${n}`)]);
      if (triples[0]?.added !== true) result.wrong.push(`${n} was there already`);
      kept.add(n);
    } catch (error) {
      if (!isAppError(error, 'E_KG_FULL')) throw error;
      result.refusals += 1;
      const { stored, needed, limit } = error.details as Record<string, number>;
      if (Number(stored) + Number(needed) <= Number(limit))
        result.wrong.push('refused below the limit');
      await removeOwn(name, [...kept].slice(0, 5), result.wrong);
      await add(n);
    }
  };
  for (let start = 0; start < count; start += GROUP) {
    const size = Math.min(GROUP, count - start);
    await Promise.all(Array.from({ length: size }, (_, index) => add(start + index)));
    const shared = await graph.add([fact(`shared ${start / GROUP}`)]).catch(() => undefined);
    if (shared?.triples[0]?.added === true) result.sharedAdded += 1;
    const { total } = await graph.query({}, { offset: 0, limit: 0 });
    if (total > maxTriples) result.wrong.push(`${total} triples`);
  }
  return result;
}

async function prune(name: string): Promise<Pick<ChurnResult, 'kept' | 'wrong'>> {
  const wrong: string[] = [];
  const groups = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const numbers = [...kept];
  await Promise.all(
    groups.map((end) =>
      removeOwn(
        name,
        numbers.filter((n) => n % 10 === end),
        wrong,
      ),
    ),
  );
  return { kept: [...kept], wrong };
}

/** Stops the process before call number `at`. If there is no such call, returns the number of calls. */
const interrupted = (
  at: number,
  work: () => Promise<unknown>,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<number> => interruptedAt({ root: folder, at, signal }, work);

say({ ready: true });
for await (const command of commands<GraphCommand>()) {
  if (command.do === 'churn') say(await churn(command.name, command.count));
  if (command.do === 'prune') say(await prune(command.name));
  if (command.do === 'list') {
    const { triples } = await graph.query({}, { offset: 0, limit: 100_000 });
    say(triples.map(({ subject, ts }) => `${subject} ${ts}`));
  }
  if (command.do === 'save') say(await interrupted(command.at, () => graph.save()));
  if (command.do === 'add')
    say(await interrupted(command.at, () => graph.add([fact(command.subject)]), command.signal));
}
await graph.close();
