/**
 * Two processes add and delete thousands of triples each in one graph with a limit, while the log is
 * compacted. Both end with the same triples, which are those on disk. There are never more triples than the
 * limit, no triple is stored twice, every acknowledged triple is there, and a process refuses a triple only
 * at the limit.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allOf, graphIn } from '../stores/knowledge-graph/graph.js';
import { operationsIn, replay } from '../stores/knowledge-graph/oracle.js';
import { Child } from '../support/child.js';
import { timeLimitMs } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import type { ChurnResult, GraphTask } from './children/graph.js';

const LIMIT = 8_000;
const COUNT = 5_000;
const SHARED = COUNT / 40;

describe('two processes on one graph', () => {
  it(
    `add and delete ${COUNT} triples each with a limit of ${LIMIT}, and end with the same triples`,
    async () => {
      const folder = tempFolder();
      const task: GraphTask = { folder, maxTriples: LIMIT, syncsAppends: false };
      const children = [new Child('graph', task), new Child('graph', task)];
      for (const child of children) await child.next();
      const watcher = graphIn(folder, { maxTriples: LIMIT });
      let isOver = false;
      let most = 0;
      const watching = (async () => {
        while (!isOver) {
          const { total, triples } = await watcher.query({}, { offset: 0, limit: 20_000 });
          most = Math.max(most, total);
          expect(new Set(triples.map(({ subject }) => subject)).size).toBe(triples.length);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      const start = performance.now();
      for (const [index, child] of children.entries()) {
        child.send({ do: 'churn', name: `process ${index}`, count: COUNT });
      }
      const results = await Promise.all(children.map((child) => child.next<ChurnResult>()));
      for (const [index, child] of children.entries()) {
        child.send({ do: 'prune', name: `process ${index}` });
      }
      for (const [index, child] of children.entries()) {
        const { kept, wrong } = await child.next<Pick<ChurnResult, 'kept' | 'wrong'>>();
        results[index]?.kept.push(...kept);
        results[index]?.wrong.push(...wrong);
      }
      const seconds = (performance.now() - start) / 1000;
      isOver = true;
      await watching;

      expect(results.flatMap(({ wrong }) => wrong)).toEqual([]);
      expect(most).toBeLessThanOrEqual(LIMIT);
      for (const child of children) child.send({ do: 'list' });
      const lists = await Promise.all(children.map((child) => child.next<string[]>()));
      const fresh = graphIn(folder, { maxTriples: LIMIT });
      const onDisk = (await allOf(fresh)).map(({ subject, ts }) => `${subject} ${ts}`);
      expect(lists[0]).toEqual(onDisk);
      expect(lists[1]).toEqual(onDisk);

      const subjects = new Set((await allOf(fresh)).map(({ subject }) => subject));
      const expected = results.flatMap(({ kept }, index) =>
        kept.map((n) => `process ${index} ${n}`),
      );
      for (const name of expected) expect(subjects.has(name), name).toBe(true);
      const shared = [...subjects].filter((name) => name.startsWith('shared')).length;
      expect(subjects.size).toBe(expected.length + shared);
      expect(results.reduce((sum, { sharedAdded }) => sum + sharedAdded, 0)).toBe(shared);
      expect(shared).toBeGreaterThan(SHARED / 2);
      const refusals = results.reduce((sum, result) => sum + result.refusals, 0);
      expect(refusals).toBeGreaterThan(0);
      const { generation } = await fresh.stats();
      expect(generation).toBeGreaterThan(0);
      console.log(
        `two processes: ${seconds.toFixed(1)} s, ${refusals} refusals, at most ${most} triples, ` +
          `${generation} compactions, ${onDisk.length} left`,
      );
      for (const child of children) await child.stop();
      // No process compacts any more, so the slow oracle can read the files.
      const text = ['kg_snapshot.json', 'kg_wal.log'].map((name) =>
        readFileSync(join(folder, name), 'utf8'),
      );
      expect(replay(text.flatMap(operationsIn)).length).toBe(onDisk.length);
      await watcher.close();
      await fresh.close();
    },
    timeLimitMs(300_000),
  );
});
