/** A source that has removed messages: they stay here, and no other message is missing, or there twice. */
import { expect, it } from 'vitest';
import { counts, fileWith, openImportBench, said } from './bench.js';

const idOf = (name: string) => `message-0000-0000-${name}`;

/** An export of this day; the names of messages, each with its text after `=` if it is not the name. */
const exportOf = (day: number, messages: string) =>
  fileWith({
    id: 'thread-1',
    title: 'T',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: `2026-01-0${day}T00:00:00Z`,
    messages: messages.split(' ').map((message) => {
      const [name = '', content = name] = message.split('=');
      return { id: idOf(name), role: 'user', content };
    }),
  });

/** The texts of the conversation and of its branches, after these exports were imported in this order. */
async function imported(...paths: readonly string[]) {
  const bench = await openImportBench();
  for (const path of paths) {
    bench.time.now += 3_600_000;
    const before = bench.folders().length;
    const planned = await bench.import(path, { dryRun: true });
    const report = await bench.import(path);
    expect(counts(planned)).toEqual(counts(report));
    expect(report.added).toBe(bench.folders().length - before);
    const hash = bench.hash();
    expect(await bench.import(path)).toMatchObject({ added: 0, updated: 0 });
    expect(bench.hash()).toBe(hash);
  }
  const texts = (id: string) => said(bench.jsonOf(id)).map((each: string) => each.slice(6));
  return bench.folders().map((id) => texts(id).join(' '));
}

it('an older export brings a message that the source has removed since', async () => {
  const found = await imported(exportOf(2, 'a b d e'), exportOf(1, 'a b c'));
  expect(found).toEqual(['a b d e', 'c']);
});

it('a message after a new one is not copied into the branch of the new one', async () => {
  const all = exportOf(1, 'a b c d e');
  expect(await imported(all, exportOf(2, 'a b x d e'), exportOf(3, 'a b x e'))).toEqual([
    'a b c d e',
    'x',
  ]);
});

it('a message in a branch is not added to the conversation when the source has all again', async () => {
  const found = await imported(exportOf(1, 'a b'), exportOf(2, 'a c'), exportOf(3, 'a b c'));
  expect(found).toEqual(['a b', 'c']);
});

it('each of several new branches is counted', async () => {
  expect(await imported(exportOf(1, 'a b c d'), exportOf(2, 'a x c y d z'))).toHaveLength(3);
});
