/**
 * A process is killed (kill -9) right before a file-system call of a compaction or of an append. No
 * acknowledged fact is lost, and no fact is stored twice. The next process can write at once, and after its
 * compaction no file of the killed process is left. One run tries a part of the calls, `DAYBOOK_SOAK=2` all.
 */
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allOf, fact, graphIn } from '../stores/knowledge-graph/graph.js';
import { Child } from '../support/child.js';
import { memoryFolder } from '../support/memory-folder.js';
import { sampled, timeLimitMs } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import type { GraphCommand, GraphTask } from './children/graph.js';

const base = tempFolder(memoryFolder());

async function prepare(): Promise<{ template: string; before: string[] }> {
  const template = join(base, 'template');
  mkdirSync(template);
  const graph = graphIn(template);
  await graph.add(['Ada', 'Grace', 'Alan', 'Barbara'].map((name) => fact(name)));
  await graph.delete([fact('Grace')]);
  await graph.save();
  await graph.add([fact('Katherine'), fact('Ada', 'lives in', 'London')]);
  await graph.delete([fact('Barbara')]);
  await graph.end([fact('Alan')]);
  const before = (await allOf(graph)).map((triple) => JSON.stringify(triple));
  await graph.close();
  return { template, before };
}

async function start(folder: string): Promise<Child> {
  const child = new Child('graph', {
    folder,
    maxTriples: 100,
    syncsAppends: true,
  } satisfies GraphTask);
  await child.next();
  return child;
}

async function killedAt(template: string, command: GraphCommand & { at: number }): Promise<string> {
  const folder = join(base, String(command.at));
  cpSync(template, folder, { recursive: true });
  const child = await start(folder);
  child.send(command);
  expect(await child.nextLine(), `call ${command.at}`).toBeUndefined();
  await child.ended();
  return folder;
}

async function callsOf(template: string, command: GraphCommand): Promise<number> {
  const folder = join(base, 'counted');
  cpSync(template, folder, { recursive: true });
  const child = await start(folder);
  child.send(command);
  const calls = await child.next<number>();
  await child.stop();
  rmSync(folder, { recursive: true });
  return calls;
}

const OURS = [
  '.gitattributes',
  '.gitignore',
  'kg_snapshot.json',
  'kg_snapshot.previous.json',
  'kg_snapshot.sha256',
  'kg_wal.log',
  'kg_wal.previous.log',
];

describe('kill -9 before a file-system call of the graph', () => {
  it(
    'of a compaction loses no fact and leaves no file after the next compaction',
    async () => {
      const { template, before } = await prepare();
      const calls = await callsOf(template, { do: 'save', at: -1 });
      expect(calls).toBeGreaterThan(20);
      for (const at of sampled('compaction', [...Array(calls).keys()], 6)) {
        const folder = await killedAt(template, { do: 'save', at });
        const graph = graphIn(folder);
        const after = (await allOf(graph)).map((triple) => JSON.stringify(triple));
        expect(after, `call ${at}`).toEqual(before);
        expect((await graph.stats()).damagedLines).toBe(0);
        await graph.add([fact('next')]);
        await graph.save();
        await graph.close();
        const again = graphIn(folder);
        const last = (await allOf(again)).map((triple) => JSON.stringify(triple));
        expect(last.slice(0, -1), `call ${at}`).toEqual(before);
        expect(last).toHaveLength(before.length + 1);
        expect((await again.stats()).notices, `call ${at}`).toEqual([]);
        const names = readdirSync(folder).filter((name) => name !== '.locks');
        expect(names.sort(), `call ${at}`).toEqual(OURS);
        expect(readdirSync(join(folder, '.locks')), `call ${at}`).toEqual([]);
        rmSync(folder, { recursive: true });
      }
      rmSync(template, { recursive: true });
    },
    timeLimitMs(300_000),
  );

  it(
    'of an append loses no earlier fact, and the next append works',
    async () => {
      const { template, before } = await prepare();
      const command = { do: 'add', subject: 'one more', at: -1 } as const;
      const calls = await callsOf(template, command);
      expect(calls).toBeGreaterThan(5);
      let found = 0;
      for (const at of sampled('append', [...Array(calls).keys()], 3)) {
        const folder = await killedAt(template, { ...command, at });
        const graph = graphIn(folder);
        const after = (await allOf(graph)).map((triple) => JSON.stringify(triple));
        expect(after.slice(0, before.length), `call ${at}`).toEqual(before);
        expect(after.length - before.length, `call ${at}`).toBeLessThanOrEqual(1);
        found += after.length - before.length;
        await graph.add([fact('one more', 'is', 'there')]);
        expect(await allOf(graph)).toHaveLength(before.length + 1);
        await graph.close();
        rmSync(folder, { recursive: true });
      }
      expect(found).toBeGreaterThan(0);
      expect(found).toBeLessThan(calls);
    },
    timeLimitMs(300_000),
  );
});
