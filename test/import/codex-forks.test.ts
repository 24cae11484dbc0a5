/**
 * Forks of Codex sessions begin with a copy of the first session, with the time of the fork. The first
 * session may exist, may have been imported and deleted since, or may be missing.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderWith, lines, openImportBench, said } from './bench.js';

/** A UUID of version 7 of this minute. */
const idAt = (minute: number, last: number) => {
  const digits = Date.UTC(2026, 5, 2, 10, minute).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-${String(last).padStart(12, '0')}`;
};
const at = (minute: number) => new Date(Date.UTC(2026, 5, 2, 10, minute)).toISOString();
const [PARENT, FORK, OTHER] = [idAt(0, 1), idAt(10, 2), idAt(20, 3)];
const meta = (minute: number, id: string, from?: string) => ({
  timestamp: at(minute),
  type: 'session_meta',
  payload: { id, timestamp: at(minute), cwd: '/shed', ...(from && { forked_from_id: from }) },
});
/** A turn that began in minute `began`. In a copy it has the time of the fork, but its original id. */
const turn = (began: number, user: string, minute = began) => [
  { timestamp: at(minute), type: 'turn_context', payload: { turn_id: idAt(began, 9), model: 'm' } },
  ...[
    ['user', 'input_text', user],
    ['assistant', 'output_text', `${user} Done.`],
  ].map(([role, type, text]) => ({
    timestamp: at(minute),
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text }] },
  })),
];
const talk = (...users: string[]) =>
  users.flatMap((user) => [`user: ${user}`, `assistant: ${user} Done.`]);
const FIRST = [...turn(1, 'Build.'), ...turn(2, 'Roof it.')];
const copyAt = (minute: number) => [...turn(1, 'Build.', minute), ...turn(2, 'Roof it.', minute)];
const parentLog = [meta(0, PARENT), ...FIRST];
const forkLog = [meta(10, FORK, PARENT), ...copyAt(10), ...turn(12, 'Paint.')];
const otherLog = [meta(20, OTHER, PARENT), ...copyAt(20), ...turn(22, 'Burn.')];
const nameOf = (id: string) => `sessions/rollout-2026-06-02T10-00-00-${id}.jsonl`;

let bench: Awaited<ReturnType<typeof openImportBench>>;
let folder: string;
const write = (id: string, log: readonly object[]) =>
  writeFileSync(join(folder, nameOf(id)), lines(...log));
const remove = (id: string) => rmSync(join(folder, nameOf(id)));
const talkOf = (id: string) => said(bench.bySource(id));
/** A second import of the same files must not change a byte. */
async function run() {
  const report = await bench.import(folder);
  const before = bench.hash();
  expect(await bench.import(folder)).toMatchObject({ added: 0, updated: 0, messages: 0 });
  expect(bench.hash()).toBe(before);
  return report;
}

beforeEach(async () => {
  bench = await openImportBench();
  folder = folderWith({ [nameOf(PARENT)]: lines(...parentLog) });
});

describe('a copy in a fork is not imported', () => {
  it('if the first session is in the input', async () => {
    write(FORK, forkLog);
    await run();
    expect(talkOf(PARENT)).toEqual(talk('Build.', 'Roof it.'));
    expect(talkOf(FORK)).toEqual(talk('Paint.'));
    expect(bench.bySource(FORK).metadata.parent).toBe(PARENT);
  });

  it.each([
    ['all', 'none'],
    ['none', 'all'],
  ] as const)('if the first session was imported with %s and deleted, and the fork with %s', async (first, then) => {
    const call = (minute: number) => ({
      timestamp: at(minute),
      type: 'response_item',
      payload: { type: 'function_call', name: 'ls', arguments: '{}', call_id: 'c1' },
    });
    const silent = (minute: number) => [...turn(1, 'Build.', minute).slice(0, 2), call(minute)];
    write(PARENT, [meta(0, PARENT), ...silent(1), ...turn(2, 'Roof it.')]);
    await bench.import(folder, { activity: first });
    remove(PARENT);
    write(FORK, [
      meta(10, FORK, PARENT),
      ...silent(10),
      ...turn(2, 'Roof it.', 10),
      ...turn(12, 'Paint.'),
    ]);
    await bench.import(folder, { activity: then });
    expect(talkOf(FORK)).toEqual(talk('Paint.'));
  });

  it('if the first session was imported and then deleted', async () => {
    await run();
    remove(PARENT);
    write(FORK, forkLog);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Paint.'));
    expect(bench.bySource(FORK).metadata.parent).toBe(PARENT);
    write(FORK, [...forkLog, ...turn(14, 'Varnish.')]);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Paint.', 'Varnish.'));
    expect(talkOf(PARENT)).toEqual(talk('Build.', 'Roof it.'));
    expect(bench.folders()).toHaveLength(2);
  });

  it('if both were imported, and the first session is then deleted', async () => {
    write(FORK, forkLog);
    await run();
    write(PARENT, [...parentLog, ...turn(13, 'Sell it.')]);
    await run();
    remove(PARENT);
    await run();
    write(FORK, [...forkLog, ...turn(14, 'Varnish.')]);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Paint.', 'Varnish.'));
    expect(talkOf(PARENT)).toEqual(talk('Build.', 'Roof it.', 'Sell it.'));
    expect(bench.folders()).toHaveLength(2);
  });

  it('if two sessions were forked from one', async () => {
    await run();
    remove(PARENT);
    write(FORK, forkLog);
    write(OTHER, otherLog);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Paint.'));
    expect(talkOf(OTHER)).toEqual(talk('Burn.'));
  });

  it('if it was forked from a fork, and both first sessions were imported and then deleted', async () => {
    write(FORK, forkLog);
    await run();
    remove(PARENT);
    remove(FORK);
    const copy = [...copyAt(20), ...turn(12, 'Paint.', 20)];
    write(OTHER, [meta(20, OTHER, FORK), ...copy, ...turn(22, 'Burn.')]);
    await run();
    expect(talkOf(OTHER)).toEqual(talk('Burn.'));
    expect(talkOf(FORK)).toEqual(talk('Paint.'));
  });

  it.each([
    'Build.',
    'Roof it.',
  ])('if the fork begins with the same words as the copy: %s', async (again) => {
    write(FORK, [...forkLog.slice(0, -3), ...turn(12, again)]);
    await run();
    expect(talkOf(FORK)).toEqual(talk(again));
    remove(PARENT);
    await run();
    expect(talkOf(FORK)).toEqual(talk(again));
    write(FORK, [...forkLog.slice(0, -3), ...turn(12, again), ...turn(14, 'Varnish.')]);
    await run();
    expect(talkOf(FORK)).toEqual(talk(again, 'Varnish.'));
  });

  it('if nothing was said in the fork', async () => {
    write(FORK, forkLog.slice(0, -3));
    expect(await run()).toMatchObject({ added: 1, skipped: 1 });
    remove(PARENT);
    expect(await run()).toMatchObject({ added: 0, skipped: 1 });
  });

  it('if an older version added what follows it to the first session', async () => {
    const idOf = (content: unknown) => `message-${JSON.stringify(content).replace(/\W/g, '')}`;
    const withIds = (log: readonly { payload: object }[]) =>
      log.map(({ payload, ...line }) =>
        'content' in payload
          ? { ...line, payload: { ...payload, id: idOf(payload.content) } }
          : { ...line, payload },
      );
    write(PARENT, withIds([...parentLog, ...turn(12, 'Paint.')]));
    await run();
    remove(PARENT);
    write(FORK, withIds(forkLog));
    await run();
    expect(bench.folders()).toHaveLength(1);
    expect(talkOf(PARENT)).toEqual(talk('Build.', 'Roof it.', 'Paint.'));
  });
});

describe('a copy in a fork, or a part of it, is imported', () => {
  it('if the first session continued after its import', async () => {
    write(PARENT, parentLog.slice(0, 4));
    await run();
    remove(PARENT);
    write(FORK, forkLog);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Roof it.', 'Paint.'));
  });

  it('if the first session was edited here', async () => {
    await run();
    const { conversationId } = bench.bySource(PARENT);
    const text = bench.textOf(conversationId).replace('"Roof it."', '"Roof it now."');
    writeFileSync(bench.fileOf(conversationId), text);
    remove(PARENT);
    write(FORK, forkLog);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Roof it.', 'Paint.'));
  });

  it('if the first session was never imported', async () => {
    remove(PARENT);
    write(FORK, forkLog);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Build.', 'Roof it.', 'Paint.'));
  });

  it('if the turns have no ids', async () => {
    const withoutIds = forkLog.map(({ payload, ...line }) => ({
      ...line,
      payload: { ...payload, turn_id: 'x' },
    }));
    write(FORK, withoutIds);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Build.', 'Roof it.', 'Paint.'));
  });

  it('if the file of the first session is damaged here', async () => {
    await run();
    const { conversationId } = bench.bySource(PARENT);
    const text = bench.textOf(conversationId);
    writeFileSync(bench.fileOf(conversationId), '{"messages": [');
    remove(PARENT);
    write(FORK, forkLog);
    await run();
    writeFileSync(bench.fileOf(conversationId), text);
    expect(talkOf(FORK)).toEqual(talk('Build.', 'Roof it.', 'Paint.'));
  });

  it('if the first session was deleted here', async () => {
    await run();
    remove(PARENT);
    await bench.store.trash(bench.bySource(PARENT).conversationId);
    write(FORK, forkLog);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Build.', 'Roof it.', 'Paint.'));
  });

  it('if the first session comes later, and the fork continues', async () => {
    remove(PARENT);
    write(FORK, forkLog);
    await run();
    write(PARENT, parentLog);
    await run();
    write(FORK, [...forkLog, ...turn(14, 'Varnish.')]);
    await run();
    expect(talkOf(FORK)).toEqual(talk('Build.', 'Roof it.', 'Paint.', 'Varnish.'));
    expect(bench.folders()).toHaveLength(2);
  });
});
