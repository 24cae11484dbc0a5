/** Wrong arguments for the store of insights: they are refused before any file access. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InsightStore } from '../../../src/stores/insights/insights.js';
import { errorOf } from '../../support/error-of.js';
import { tempFolder } from '../../support/temp-folder.js';

// biome-ignore lint/suspicious/noExplicitAny: a program in JavaScript can pass any value
type Anything = any;

function open() {
  const folder = tempFolder();
  const store = new InsightStore({ folder, fsync: false });
  onTestFinished(() => store.close());
  return { folder, store };
}
const circular: Record<string, unknown> = {};
circular['self'] = circular;
const right = { content: 'a thing', context: '/work/mine' };
const wrongFields: [string, Anything][] = [
  ['a context that is no path', { context: 'garden' }],
  ['a context that is no text', { context: 5 }],
  ['no context', { context: undefined }],
  ['content that is no text', { content: 5 }],
  ['empty content', { content: '' }],
  ['tags that are one text', { tags: 'soil' }],
  ['tags of numbers', { tags: [1] }],
  ['metadata that is a list', { metadata: [1] }],
  ['metadata that JSON cannot hold', { metadata: circular }],
  ['a number that JSON cannot hold', { metadata: { a: 1n } }],
  ['an end that is no time', { expires_at: Number.NaN }],
];

describe('the store of insights', () => {
  it.each(wrongFields)('refuses %s, for new and for existing insights', async (_what, wrong) => {
    const { folder, store } = open();
    expect((await errorOf(store.save({ ...right, ...wrong }))).code).toBe('VALIDATION_ERROR');
    expect(readdirSync(folder)).toEqual([]);
    const { id } = await store.save(right);
    const path = join(folder, 'insights', `${id}.json`);
    const before = readFileSync(path, 'utf8');
    if (!('context' in wrong)) {
      expect((await errorOf(store.update(id, wrong))).code).toBe('VALIDATION_ERROR');
    }
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('has one form for each context', async () => {
    const { store } = open();
    const saved = await store.save({ ...right, context: '/work/./mine/' });
    expect(saved.context).toBe('/work/mine');
    expect(await store.list({ context: '/work/mine//' })).toEqual([saved]);
    const code = (await errorOf(store.list({ context: 'mine' }))).code;
    expect(code).toBe('VALIDATION_ERROR');
  });

  it('accepts no name as an id, so no id leads out of its folder', async () => {
    const { folder, store } = open();
    const secret = join(folder, 'secret.json');
    mkdirSync(join(folder, 'insights'));
    writeFileSync(secret, JSON.stringify(right));
    const insight: Anything = { ...right, created_at: 1, updated_at: 1 };
    for (const id of [
      '../secret',
      '',
      'x',
      5,
      '6FA459EA-EE8A-4CA4-894E-DB77E160355E',
    ] as Anything[]) {
      for (const call of [
        () => store.get(id),
        () => store.update(id, { content: 'mine now' }),
        () => store.trash(id),
        () => store.remove(id),
        () => store.put({ insight: { ...insight, id }, extra: {} }),
      ]) {
        expect((await errorOf(call())).code).toBe('VALIDATION_ERROR');
      }
    }
    expect(readFileSync(secret, 'utf8')).toBe(JSON.stringify(right));
  });
});
