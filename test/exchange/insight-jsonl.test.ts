/** Insights as JSON Lines: export, import, and which lines an import refuses. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { AppError } from '../../src/base/errors.js';
import { importInsights, insightLines } from '../../src/exchange/insight-jsonl.js';
import { SecretMasker } from '../../src/privacy/secret-masker.js';
import type { InsightStoreOptions } from '../../src/stores/insights/insight-core.js';
import { InsightStore } from '../../src/stores/insights/insights.js';
import { errorOf } from '../support/error-of.js';
import { callsDuring } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';

const ID = '6fa459ea-ee8a-4ca4-894e-db77e160355e';

function open({ folder = tempFolder(), ...options }: Partial<InsightStoreOptions> = {}) {
  const store = new InsightStore({ folder, fsync: false, ...options });
  onTestFinished(() => store.close());
  const take = (text: string | Buffer, dryRun = false, newer = false) => {
    const path = join(tempFolder(), 'in.jsonl');
    writeFileSync(path, text);
    return importInsights(path, { store, clock: systemClock, dryRun, newer });
  };
  return { folder, store, take };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ content: `no. ${n}`, context: 'global' }),
  ).join('\n');

async function linesOf(store: InsightStore, context?: string): Promise<string> {
  let text = '';
  for await (const line of insightLines(store, context)) text += line;
  return text;
}

describe('insights as JSON Lines', () => {
  it('are the same after an export and an import, with their unknown fields', async () => {
    const one = open();
    for (let n = 0; n < 30; n += 1) {
      const context = n % 3 === 0 ? 'global' : '/work/mine';
      await one.store.save({ context, content: `no. ${n} \u2028 日本`, tags: [`t${n}`] });
    }
    await one.take(`{"id":"${ID}","content":"with more","context":"global","mood":{"a":[1]}}\n`);
    const text = await linesOf(one.store);
    expect(text.trimEnd().split('\n')).toHaveLength(31);
    expect((await linesOf(one.store, 'global')).trimEnd().split('\n')).toHaveLength(11);
    const two = open();
    const planned = await two.take(text, true);
    expect(await two.store.all()).toEqual([]);
    const taken = await two.take(text);
    expect(taken).toEqual(planned);
    expect(taken.added).toHaveLength(31);
    expect(await linesOf(two.store)).toBe(text);
    const again = await two.take(text);
    expect([again.added.length, again.unchanged.length, again.refused]).toEqual([0, 31, []]);
  });

  it('are unchanged at the second import, also if a secret was masked in them', async () => {
    const { take } = open({ masker: new SecretMasker({ masksSecrets: true }) });
    const content = `The key is sk-ant-api03-${'Ab3dE5fG7h'.repeat(9)}AA`;
    const line = JSON.stringify({ id: ID, content, context: 'global', created_at: 1 });
    for (const dryRun of [true, false]) {
      const twice = await take(`${line}\n${line}`, dryRun);
      expect(twice).toMatchObject({ added: [ID], unchanged: [ID], refused: [] });
    }
    for (const dryRun of [true, false]) {
      expect(await take(line, dryRun)).toMatchObject({ unchanged: [ID], refused: [] });
    }
  });

  it('replace an older insight of the same id only with the option newer', async () => {
    const { store, take } = open();
    const line = (content: string, updated_at: number) =>
      `${JSON.stringify({ id: ID, content, context: 'global', created_at: 1, updated_at })}\n`;
    await take(line('first', 5));
    expect((await take(line('second', 9))).refused).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
    const older = await take(line('earlier', 3), false, true);
    expect(older.refused).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
    const planned = await take(line('second', 9), true, true);
    expect((await store.get(ID))?.content).toBe('first');
    const done = await take(line('second', 9), false, true);
    expect(done).toEqual(planned);
    expect(done.updated).toEqual([ID]);
    expect((await store.get(ID))?.content).toBe('second');
  });

  it('without ids are not added again by a second import', async () => {
    const { store, take } = open();
    const lines = [1, 2].map((n) => JSON.stringify({ content: `no. ${n}`, context: 'global' }));
    const text = [...lines, lines[0]].join('\n');
    const planned = await take(text, true);
    expect([planned.added.length, planned.unchanged.length]).toEqual([2, 1]);
    expect(await take(text)).toEqual(planned);
    const again = await take(text);
    expect([again.added.length, again.unchanged.length, again.refused]).toEqual([0, 3, []]);
    expect(await store.all()).toHaveLength(2);
  });

  it('that are nested too deeply are refused, and the other lines are imported', async () => {
    const { store, take } = open();
    const deep = `{"content": "deep", "metadata": ${'{"a":'.repeat(9_000)}1${'}'.repeat(9_001)}`;
    const good = JSON.stringify({ id: ID, content: 'good', context: 'global' });
    const { added, refused } = await take(`${deep}\n${good}`);
    expect(added).toEqual([ID]);
    expect(refused).toMatchObject([{ place: 'line 1', code: 'CORRUPT' }]);
    expect(await store.all()).toHaveLength(1);
  });

  it('without a time are never newer, and are unchanged at a second import', async () => {
    const { store, take } = open();
    const named = JSON.stringify({ id: ID, content: 'one', context: 'global' });
    const text = [named, JSON.stringify({ content: 'two', context: 'global' })].join('\n');
    await take(text);
    const before = await linesOf(store);
    const later = vi.spyOn(systemClock, 'now').mockReturnValue(Date.now() + 60_000);
    onTestFinished(() => later.mockRestore());
    for (const newer of [false, true]) {
      const planned = await take(text, true, newer);
      expect(planned).toMatchObject({ added: [], updated: [], refused: [] });
      expect(await take(text, false, newer)).toEqual(planned);
    }
    expect(await linesOf(store)).toBe(before);
    const other = named.replace('one', 'other');
    expect((await take(other, false, true)).refused).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
  });

  it('of any number are planned with one reading of the stored insights', async () => {
    const { store, take } = open();
    const looks = vi.spyOn(store, 'all');
    const lines = Array.from({ length: 50 }, (_, n) =>
      JSON.stringify({ content: `no. ${n}`, context: 'global' }),
    );
    expect((await take(lines.join('\n'), true)).added).toHaveLength(50);
    expect(looks).toHaveBeenCalledTimes(1);
  });

  it('are written in batches, with few fsyncs of their folder', async () => {
    const { folder, store, take } = open({ fsync: true });
    await store.save({ content: 'first', context: 'global' });
    const calls = await callsDuring(folder, () => take(numbered(300)));
    const synced = calls.filter(({ name }) => name === 'fsync').map(({ path }) => path);
    const insights = join(folder, 'insights');
    expect(synced.filter((path) => path === insights).length).toBeLessThan(10);
    expect(synced.length).toBeGreaterThan(300);
    expect(await store.all()).toHaveLength(301);
  });

  it('in two imports at the same time are each added only once', async () => {
    const one = open();
    const two = open({ folder: one.folder });
    const reports = await Promise.all([one.take(numbered(200)), two.take(numbered(200))]);
    const [added, unchanged] = [
      reports.flatMap((report) => report.added),
      reports.flatMap((report) => report.unchanged),
    ];
    expect(new Set(added).size).toBe(200);
    expect([added.length, unchanged.length]).toEqual([200, 200]);
    expect(unchanged.sort()).toEqual(added.sort());
    expect(await one.store.all()).toHaveLength(200);
  });

  it('are added up to the limit of the store, and then the import fails with STORAGE_FULL', async () => {
    const folder = tempFolder();
    const requireRoom = async (moreBytes = 0) => {
      const there = existsSync(join(folder, 'insights'))
        ? readdirSync(join(folder, 'insights'))
        : [];
      if (moreBytes > 500 || there.length >= 7) throw new AppError('STORAGE_FULL', 'full');
    };
    const { store, take } = open({ folder, requireRoom });
    expect((await errorOf(take(numbered(20)))).code).toBe('STORAGE_FULL');
    expect(await store.all()).toHaveLength(7);
  });

  it('are refused with the number of the line, and overwrite nothing', async () => {
    const { store, take } = open();
    await store.put({
      insight: { id: ID, content: 'mine', context: 'global', created_at: 1, updated_at: 1 },
      extra: {},
    });
    const { added, unchanged, refused } = await take(
      Buffer.concat([
        Buffer.from('{"content":"no id","context":"/a/"}\r\n\n'),
        Buffer.from(`{"id":"${ID}","content":"other","context":"global"}\n`),
        Buffer.from('{"content":"no context"}\nnot json\n[1]\nnull\n'),
        Buffer.from('{"id":"x","content":"a","context":"global"}\n'),
        Buffer.from('{"id":"../../../etc/passwd","content":"a","context":"global"}\n'),
        Buffer.from('{"content":"new","context":"global","formatVersion":9}\n'),
        Buffer.from('{"content":"\xff","context":"global"}', 'latin1'),
      ]),
    );
    expect(added).toHaveLength(1);
    expect(unchanged).toEqual([]);
    expect(refused.map(({ place, code }) => [place, code])).toEqual([
      ['line 3', 'ALREADY_EXISTS'],
      ['line 4', 'CORRUPT'],
      ['line 5', 'CORRUPT'],
      ['line 6', 'CORRUPT'],
      ['line 7', 'CORRUPT'],
      ['line 8', 'CORRUPT'],
      ['line 9', 'CORRUPT'],
      ['line 10', 'FORMAT_TOO_NEW'],
      ['line 11', 'CORRUPT'],
    ]);
    expect((await store.get(ID))?.content).toBe('mine');
    expect((await store.list({ context: '/a' })).map(({ content }) => content)).toEqual(['no id']);
  });
});
