/** The state file: changed under a lock, edited by hand, never overwritten when it is damaged. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StateStore } from '../../src/stores/state/state.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

function openState(content?: string) {
  const logsFolder = join(tempFolder(), 'logs');
  mkdirSync(logsFolder);
  const file = join(logsFolder, 'state.json');
  if (content !== undefined) writeFileSync(file, content);
  const clock = { now: () => Date.parse('2025-01-24T13:20:00.123Z'), monotonic: () => 0 };
  const open = () => new StateStore({ logsFolder, fsync: false, clock });
  return { state: open(), another: open, file, text: () => readFileSync(file, 'utf8') };
}

it('takes no context window from an object that cannot be a number', async () => {
  const { state } = openState('{"contextWindow": {"toString": null, "valueOf": null}}');
  expect(await state.get()).toEqual({ values: {}, valuesUpdatedAt: {} });
});

describe('state', () => {
  it('is empty at first, and then has the values that were set, in a readable file', async () => {
    const { state, another, text, file } = openState();
    expect(await state.get()).toEqual({ values: {}, valuesUpdatedAt: {} });
    await state.set({ activeConversation: 'k', contextWindow: 20, values: { a: { b: [1] } } });
    expect(await another().get()).toEqual({
      activeConversation: 'k',
      contextWindow: 20,
      values: { a: { b: [1] } },
      valuesUpdatedAt: { a: '2025-01-24T13:20:00.123Z' },
      updatedAt: '2025-01-24T13:20:00.123Z',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(text()).toMatch(/^\{\n {2}"formatVersion": 1,\n {2}"activeConversation": "k",/);
    const left = await state.set({
      activeConversation: null,
      contextWindow: null,
      values: { a: null, c: 0 },
    });
    expect(left).toEqual({
      values: { c: 0 },
      valuesUpdatedAt: { c: '2025-01-24T13:20:00.123Z' },
      updatedAt: '2025-01-24T13:20:00.123Z',
    });
  });

  it('keeps the time of a key that a change does not set', async () => {
    const times =
      '{"values": {"a": 1, "byHand": 2}, "valuesUpdatedAt": {"a": "earlier", "gone": "x"}}';
    const { state } = openState(times);
    const { valuesUpdatedAt } = await state.set({ values: { b: 1 } });
    expect(valuesUpdatedAt).toEqual({ a: 'earlier', b: '2025-01-24T13:20:00.123Z' });
  });

  it('loses no key if two callers set values at the same time', async () => {
    const { state, another } = openState();
    const other = another();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => [
        state.set({ values: { [`a${n}`]: n } }),
        other.set({ values: { [`b${n}`]: n } }),
      ]).flat(),
    );
    expect(Object.keys((await state.get()).values)).toHaveLength(40);
  });

  it('accepts what people write, and keeps unknown fields', async () => {
    const { state, text } = openState(
      '\uFEFF{"activeConversation": 7, "contextWindow": "12", "mine": true,\r\n "values": {"__proto__": 1, "n": null}}',
    );
    const { values, ...known } = await state.get();
    expect(known).toEqual({ contextWindow: 12, valuesUpdatedAt: {} });
    expect(Object.entries(values)).toEqual([
      ['__proto__', 1],
      ['n', null],
    ]);
    await state.set({ values: { x: 1 } });
    expect(JSON.parse(text())).toMatchObject({ mine: true, contextWindow: '12' });
    expect(Object.keys((await state.get()).values)).toEqual(['__proto__', 'n', 'x']);
  });

  it.each([
    ['{ broken', 'CORRUPT'],
    ['[1]', 'CORRUPT'],
    ['', 'CORRUPT'],
    ['{"formatVersion": 2}', 'FORMAT_TOO_NEW'],
  ])('reports %j and does not change the file', async (content, code) => {
    const { state, text } = openState(content);
    expect((await errorOf(state.get())).code).toBe(code);
    expect((await errorOf(state.set({ values: { a: 1 } }))).code).toBe(code);
    expect(text()).toBe(content);
  });

  it('reports values that are nested too deeply to be written again, and leaves them', async () => {
    const content = `{"values":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;
    const { state, text } = openState(content);
    expect((await errorOf(state.get())).code).toBe('CORRUPT');
    expect((await errorOf(state.set({ values: { a: 1 } }))).code).toBe('CORRUPT');
    expect(text() === content).toBe(true);
  });

  it('refuses values that are too large', async () => {
    const { state } = openState();
    await state.set({ values: { a: 1 } });
    const large = state.set({ values: { b: 'x'.repeat(2 ** 20) } });
    expect((await errorOf(large)).code).toBe('TOO_LARGE');
    expect((await state.get()).values).toEqual({ a: 1 });
  });
});
