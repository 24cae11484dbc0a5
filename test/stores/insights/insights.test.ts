/** Insights as files: what Daybook writes, what people write, damaged files, restored files. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { InsightSearch } from '../../../src/search/insight-search.js';
import { InsightStore } from '../../../src/stores/insights/insights.js';
import { normalContext } from '../../../src/stores/insights/schema.js';
import { withClient, withPlace } from '../../e2e/harness.js';
import { errorOf } from '../../support/error-of.js';
import { tempFolder } from '../../support/temp-folder.js';

const context = '/work/mine';
const ID = '6fa459ea-ee8a-4ca4-894e-db77e160355e';

function open(folder = tempFolder()) {
  const store = new InsightStore({ folder, fsync: false });
  const search = new InsightSearch(store);
  onTestFinished(() => store.close());
  const insights = join(folder, 'insights');
  const pathOf = (id: string) => join(insights, `${id}.json`);
  return {
    folder,
    insights,
    store,
    pathOf,
    write(id: string, content: string | object) {
      mkdirSync(insights, { recursive: true });
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      writeFileSync(pathOf(id), text);
    },
    async found(query: string) {
      const request = { query, context, matchType: 'auto', limit: 20, offset: 0 } as const;
      return (await search.search(request)).hits.map(({ insight }) => insight.content);
    },
  };
}
const list = (store: InsightStore) => store.list({ context });

it('the number of insights of a context is without expired ones, also if it has no others', async () => {
  const { store } = open();
  await store.save({ content: 'a', context });
  for (const where of [context, '/old']) {
    await store.save({ content: 'b', context: where, expires_at: 1 });
  }
  expect(await store.contexts()).toEqual(
    new Map([
      [context, 1],
      ['/old', 0],
    ]),
  );
});

describe('the file', () => {
  it('is JSON with a stable order, so that git can merge it', async () => {
    const { store, pathOf } = open();
    const { id } = await store.save({
      expires_at: 4_102_444_800_000,
      tags: ['a'],
      metadata: { z: 1, a: [2] },
      context,
      content: '二行\n"quoted"',
    });
    const { created_at } = (await store.get(id)) ?? {};
    const expected = `{
  "id": "${id}",
  "content": "二行\\n\\"quoted\\"",
  "context": "/work/mine",
  "tags": [
    "a"
  ],
  "metadata": {
    "z": 1,
    "a": [
      2
    ]
  },
  "created_at": ${created_at},
  "updated_at": ${created_at},
  "expires_at": 4102444800000,
  "formatVersion": 1
}
`;
    expect(readFileSync(pathOf(id), 'utf8')).toBe(expected);
    expect(statSync(pathOf(id)).mode & 0o777).toBe(0o600);
    await store.update(id, { expires_at: null, content: 'new' });
    const again = JSON.parse(readFileSync(pathOf(id), 'utf8'));
    expect(Object.keys(again)).toEqual(
      Object.keys(JSON.parse(expected)).filter((key) => key !== 'expires_at'),
    );
  });

  it('keeps a key named __proto__ and lone surrogates', async () => {
    const { store, folder } = open();
    const metadata = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}');
    const { id } = await store.save({ context, content: 'half \ud800 pair', metadata });
    const read = await open(folder).store.get(id);
    expect(read?.content).toBe('half \ud800 pair');
    expect(JSON.stringify(read?.metadata)).toBe(JSON.stringify(metadata));
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('has no other files beside it that git would commit', async () => {
    const { folder, store } = open();
    execFileSync('git', ['init', '-q', folder]);
    const kept = await store.save({ context, content: 'kept' });
    const gone = await store.save({ context, content: 'gone' });
    await store.update(kept.id, { content: 'kept well' });
    await store.trash(gone.id);
    const seen = execFileSync('git', ['-C', folder, 'status', '--porcelain', '-uall'], {
      encoding: 'utf8',
    });
    expect(seen).toBe(`?? insights/${kept.id}.json\n`);
  });
});

describe('an insight that a person wrote', () => {
  it('needs content and context; the other fields are derived, the same in every process', async () => {
    const { store, write, folder, pathOf } = open();
    write(ID, '\ufeff{"content": "by hand",\r\n "context": "/work/mine/"}');
    utimesSync(pathOf(ID), 1_700_000_000, 1_700_000_000);
    const times = { created_at: 1_700_000_000_000, updated_at: 1_700_000_000_000 };
    const expected = { id: ID, content: 'by hand', context, ...times };
    expect(await store.get(ID)).toEqual(expected);
    expect(await list(open(folder).store)).toEqual([expected]);
  });

  it('may have times in ISO 8601, and unknown fields, which are kept', async () => {
    const { store, write, pathOf } = open();
    write(ID, {
      author: 'Ada',
      content: 'x y z',
      context: 'global',
      mood: ['calm'],
      created_at: '2024-01-02T03:04:05Z',
      expires_at: '2999-01-01',
      id: 'of another file',
    });
    const updated = await store.update(ID, { tags: ['t'] });
    expect(updated).toMatchObject({ id: ID, created_at: Date.parse('2024-01-02T03:04:05Z') });
    const file = JSON.parse(readFileSync(pathOf(ID), 'utf8'));
    expect(file).toMatchObject({ id: ID, author: 'Ada', mood: ['calm'], tags: ['t'] });
    expect(file.expires_at).toBe(Date.parse('2999-01-01'));
  });

  it.each([
    ['', 'CORRUPT'],
    ['{"content": "x", "context": "/a"', 'CORRUPT'],
    ['<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n', 'CORRUPT'],
    ['[]', 'CORRUPT'],
    ['{"context": "/a"}', 'CORRUPT'],
    ['{"content": "no context"}', 'CORRUPT'],
    ['{"content": "x", "context": "relative/path"}', 'CORRUPT'],
    ['{"content": "x", "context": "/a", "tags": "one"}', 'CORRUPT'],
    ['{"content": "x", "context": "/a", "metadata": [1]}', 'CORRUPT'],
    ['{"content": "x", "context": "/a", "expires_at": "soon"}', 'CORRUPT'],
    ['{"content": "x", "context": "/a", "formatVersion": 2}', 'FORMAT_TOO_NEW'],
    [Buffer.from('{"content": "\xff", "context": "/a"}', 'latin1'), 'CORRUPT'],
  ])('has no effect on others if it is damaged: %j', async (text, code) => {
    const { store, insights, pathOf, found } = open();
    const { content } = await store.save({ context, content: 'a sound one' });
    writeFileSync(pathOf(ID), text);
    utimesSync(pathOf(ID), 1_700_000_000, 1_700_000_000);
    expect((await list(store)).map((insight) => insight.content)).toEqual([content]);
    expect(await found('sound')).toEqual([content]);
    expect(store.damaged().map(({ name, error }) => [name, error.code])).toEqual([
      [`${ID}.json`, code],
    ]);
    expect((await errorOf(store.get(ID))).code).toBe(code);
    expect((await errorOf(store.update(ID, { content: 'new' }))).code).toBe(code);
    expect(readFileSync(pathOf(ID))).toEqual(Buffer.from(text));
    expect(readdirSync(insights)).toHaveLength(2);
    const { trashName } = (await store.trash(ID)) ?? {};
    expect(trashName).toMatch(/^6fa459ea-.*Z\.json$/); // asked for, it may be put away
    await list(store);
    expect(store.damaged()).toEqual([]);
  });

  it('has no effect on others if it is nested deeply', async () => {
    const { store, found, pathOf } = open();
    await store.save({ context, content: 'a sound one' });
    const write = (field: string, levels: number) =>
      writeFileSync(
        pathOf(ID),
        JSON.stringify({ content: 'deep', context, [field]: 'X' }).replace(
          '"X"',
          `${'{"sound":'.repeat(levels)}1${'}'.repeat(levels)}`,
        ),
      );
    write('metadata', 3_000);
    expect((await found('sound')).toSorted()).toEqual(['a sound one', 'deep']);
    for (const field of ['metadata', 'mood']) {
      write(field, 20_000);
      expect(await found('sound')).toEqual(['a sound one']);
      expect((await errorOf(store.get(ID))).code).toBe('CORRUPT');
    }
  });

  it('is reported if its name is no UUID, or if it cannot be opened', async () => {
    const { store, write, pathOf } = open();
    write('my note', { content: 'misnamed', context });
    write(ID, { content: 'closed', context });
    write('.hidden', 'not meant');
    chmodSync(pathOf(ID), 0);
    expect(await list(store)).toHaveLength(process.getuid?.() === 0 ? 1 : 0);
    expect(store.damaged().map(({ name }) => name)).toContain('my note.json');
    renameSync(pathOf('my note'), pathOf(ID.replace('6', '7')));
    chmodSync(pathOf(ID), 0o600);
    expect(await list(store)).toHaveLength(2);
    expect(store.damaged()).toEqual([]);
  });

  it('is refused if it is a link, because a cloned repository could link to any file', async () => {
    const { store, insights, pathOf, folder } = open();
    mkdirSync(insights, { recursive: true });
    const outside = join(folder, 'outside.json');
    writeFileSync(outside, JSON.stringify({ content: 'outside', context }));
    symlinkSync(outside, pathOf(ID));
    expect(await list(store)).toEqual([]);
    expect(store.damaged()).toMatchObject([{ name: `${ID}.json`, error: { code: 'PATH_ESCAPE' } }]);
    await expect(store.get(ID)).rejects.toMatchObject({ code: 'PATH_ESCAPE' });
    await expect(store.update(ID, { content: 'new' })).rejects.toMatchObject({
      code: 'PATH_ESCAPE',
    });
    expect(readFileSync(outside, 'utf8')).toContain('outside');
  });
});

describe('while the store is watched', () => {
  it('it finds insights that are written, edited, renamed and removed by hand at once', async () => {
    const { store, write, pathOf, found, insights } = open();
    store.start();
    expect(await list(store)).toEqual([]);
    const until = async (query: string, expected: readonly string[]) => {
      const start = Date.now();
      for (;;) {
        const now = await found(query);
        if (JSON.stringify(now) === JSON.stringify(expected)) break;
        if (Date.now() - start > 60_000) expect(now).toEqual(expected);
        await delay(10);
      }
      return Date.now() - start;
    };
    const tookMs: number[] = [];
    write(ID, { content: 'a raven', context });
    tookMs.push(await until('raven', ['a raven']));
    write(ID, { content: 'a rook', context });
    tookMs.push(await until('rook', ['a rook']));
    expect(await found('raven')).toEqual([]);
    renameSync(pathOf(ID), pathOf(ID.replace('6', '7')));
    tookMs.push(await until('rook', ['a rook']));
    const own = await store.save({ context, content: 'our own' });
    expect(await found('own')).toEqual(['our own']);
    rmSync(insights, { recursive: true });
    tookMs.push(await until('rook', []));
    expect(await store.get(own.id)).toBeUndefined();
    await store.save({ context, content: 'folder made again' });
    expect(await found('again')).toEqual(['folder made again']);
    console.info(`hand edits found after ${tookMs.join(', ')} ms`);
  });

  it('it removes the report of a half-saved file when the file is complete', async () => {
    const { store, write, found } = open();
    store.start();
    await list(store);
    write(ID, '{"content": "half');
    await delay(700);
    write(ID, { content: 'whole', context });
    await expect.poll(() => found('whole')).toEqual(['whole']);
    expect(store.damaged()).toEqual([]);
  });
});

describe('the trash', () => {
  it('has no file whose name only begins with the id of an insight', async () => {
    const { folder, store } = open();
    const trash = join(folder, '.trash', 'insights');
    mkdirSync(trash, { recursive: true });
    for (const name of [`${ID}x`, ID]) writeFileSync(join(trash, name), '{}');
    expect(await store.trashed()).toEqual([]);
  });

  it('restores the last deleted insight of an id, and never overwrites', async () => {
    const { store, found, folder } = open();
    const { id } = await store.save({ context, content: 'first' });
    await store.trash(id);
    await delay(2);
    expect(
      await store.put({
        insight: { id, content: 'second', context, created_at: 1, updated_at: 1 },
        extra: {},
      }),
    ).toMatchObject({
      outcome: 'added',
    });
    const { trashName: name = '' } = (await store.trash(id)) ?? {};
    expect(readdirSync(join(folder, '.trash', 'insights'))).toContain(name);
    expect(await found('first OR second')).toEqual([]);
    await store.restore(id);
    expect(await found('second')).toEqual(['second']);
    expect((await errorOf(store.restore(id))).code).toBe('ALREADY_EXISTS');
    expect(await store.remove(id)).toBe(true);
    await store.restore(id);
    expect(await found('first')).toEqual(['first']);
    for (const wrong of [id.replace(/^./, '0'), 'x', './', '']) {
      expect((await errorOf(store.restore(wrong))).code).toBe('VALIDATION_ERROR');
    }
  });
});

it('an insight that was moved away for a moment while it was searched is listed again', async () => {
  const { store, folder, write, pathOf, found } = open();
  write(ID, { content: 'first', context });
  utimesSync(pathOf(ID), 1, 1); // the watcher checks a new file again
  store.start();
  await store.current();
  await vi.waitFor(async () => expect(await found('first')).toHaveLength(1));
  await delay(200); // the watcher has read the folder
  const away = join(folder, 'away');
  renameSync(pathOf(ID), away);
  expect(await found('first')).toEqual([]);
  renameSync(away, pathOf(ID)); // before the watcher looked
  await vi.waitFor(async () => expect(await list(store)).toHaveLength(1), { timeout: 20_000 });
}, 30_000);

describe('two server processes', () => {
  it('lose no new insight and no field of a change', async () => {
    await withPlace(async (place) => {
      await withClient(place, async (one) =>
        withClient(place, async (two) => {
          const both = [one, two] as const;
          const { id } = await one.call('save_insight', { content: 'shared by both' });
          const work = both.flatMap(({ call }, who) =>
            Array.from({ length: 15 }, async (_, n) => {
              const saved = await call('save_insight', { content: `of ${who}, number ${n}` });
              const change = who === 0 ? { tags: [`t${n}`] } : { metadata: { n } };
              expect((await call('update_insight', { id, ...change }))['updated']).toBe(true);
              return saved['id'];
            }),
          );
          const ids = await Promise.all(work);
          expect(new Set(ids).size).toBe(30);
          for (const { call } of both) {
            const { insight } = await call('get_insight', { id });
            expect(insight).toMatchObject({ content: 'shared by both' });
            expect(Object.keys(insight as object)).toEqual(
              expect.arrayContaining(['tags', 'metadata']),
            );
            for (let n = 0; n < 3_000; n += 1) {
              if ((await call('list_insights'))['total'] === 31) break;
              await delay(20);
            }
            expect((await call('list_insights', { limit: 100 }))['total']).toBe(31);
          }
        }),
      );
      const folder = join(place.root, 'memory-bank');
      expect(readdirSync(join(folder, 'insights'))).toHaveLength(31);
      expect(readdirSync(join(folder, '.locks'))).toEqual(['.gitignore']);
    });
  });
});

describe('normalContext', () => {
  it.each([
    ['global', 'global'],
    ['Global', 'global'],
    ['/', '/'],
    ['/a/', '/a'],
    ['/a//b/./c/../', '/a/b'],
    ['/../..', '/'],
    ['C:\\', 'C:\\'],
    ['c:/x/', 'C:\\x'],
    ['\\\\host\\share\\x\\', '\\\\host\\share\\x'],
    ['', undefined],
    ['a/b', undefined],
    ['./global', undefined],
    ['~/x', undefined],
    ['C:x', undefined],
    ['/a\0b', undefined],
    [`/${'x'.repeat(5000)}`, undefined],
  ])('%j becomes %j', (text, expected) => {
    expect(normalContext(text)).toBe(expected);
    if (expected !== undefined) expect(normalContext(expected)).toBe(expected);
  });
});
