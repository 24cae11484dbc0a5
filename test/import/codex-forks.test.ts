/** Forks of Codex sessions begin with a copy of the first session, under the time of the fork. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith, lines, openImportBench, said } from './bench.js';

/** A UUID of version 7 of this minute. */
const idAt = (minute: number, last: number) => {
  const digits = Date.UTC(2026, 5, 2, 10, minute).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-${String(last).padStart(12, '0')}`;
};
const at = (minute: number) => new Date(Date.UTC(2026, 5, 2, 10, minute)).toISOString();
const PARENT = idAt(0, 1);
const FORK = idAt(10, 2);
const meta = (minute: number, id: string, more: object = {}) => ({
  ...{ timestamp: at(minute), type: 'session_meta' },
  payload: { id, timestamp: at(minute), cwd: '/shed', ...more },
});
const turn = (minute: number, began: number, user: string, answer: string) => [
  { timestamp: at(minute), type: 'turn_context', payload: { turn_id: idAt(began, 9), model: 'm' } },
  ...[['user', 'input_text', user] as const, ['assistant', 'output_text', answer] as const].map(
    ([role, type, text]) => ({
      ...{ timestamp: at(minute), type: 'response_item' },
      payload: { type: 'message', role, content: [{ type, text }] },
    }),
  ),
];
const parentLog = [meta(0, PARENT), ...turn(1, 1, 'Build a shed', 'Done.')];
const copy = [meta(10, PARENT), ...turn(10, 1, 'Build a shed', 'Done.')];
const own = turn(12, 12, 'Paint it', 'Green.');
const forkLog = [meta(10, FORK, { forked_from_id: PARENT }), ...copy, ...own];
const nameOf = (id: string) => `sessions/rollout-2026-06-02T10-00-00-${id}.jsonl`;

it('imports what was said in the fork, and the copy only if the first session is gone', async () => {
  const folder = folderWith({
    [nameOf(PARENT)]: lines(...parentLog),
    [nameOf(FORK)]: lines(...forkLog),
  });
  const bench = await openImportBench();
  await bench.import(folder);
  expect(said(bench.bySource(PARENT))).toEqual(['user: Build a shed', 'assistant: Done.']);
  expect(said(bench.bySource(FORK))).toEqual(['user: Paint it', 'assistant: Green.']);
  expect(bench.bySource(FORK).metadata.parent).toBe(PARENT);
  rmSync(join(folder, nameOf(PARENT)));
  const alone = await openImportBench();
  await alone.import(folder);
  expect(said(alone.bySource(FORK))).toHaveLength(4);
});

it('imports nothing of a fork in which nothing was said yet', async () => {
  const bench = await openImportBench();
  const [head, ...rest] = forkLog;
  const folder = folderWith({
    [nameOf(PARENT)]: lines(...parentLog),
    [nameOf(FORK)]: lines(head, ...rest.slice(0, copy.length)),
  });
  expect(await bench.import(folder)).toMatchObject({ added: 1, skipped: 1, messages: 2 });
});

it('imports all of a fork whose turns have no ids', async () => {
  const bench = await openImportBench();
  const withoutIds = forkLog.map((line) => ({
    ...line,
    payload: { ...line.payload, turn_id: 'x' },
  }));
  const folder = folderWith({
    [nameOf(PARENT)]: lines(...parentLog),
    [nameOf(FORK)]: lines(...withoutIds),
  });
  await bench.import(folder);
  expect(said(bench.bySource(FORK))).toHaveLength(4);
});
