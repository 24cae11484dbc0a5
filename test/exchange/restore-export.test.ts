/** The restore of an export writes the same files, and never changes a conversation that exists. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CipherKey } from '../../src/files/sealing/cipher.js';
import { codecOf } from '../../src/files/sealing/text-codec.js';
import { assistant, ID0, T0, user } from '../stores/conversations/store.js';
import { errorOf } from '../support/error-of.js';
import { openBench } from './bench.js';

const FORMATS = ['json', 'jsonl'] as const;
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('日記', 'a\u2028b', '\ud800', '\r\n\u0000', '__proto__', ''),
);
const json = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('__proto__', 'extra', 'seq')),
  fc.jsonValue(),
  { maxKeys: 3 },
);
const conversations = fc.array(
  fc.record(
    {
      title: text,
      module: text,
      tags: fc.array(text, { maxLength: 3 }),
      metadata: json,
      messages: fc.array(
        fc.record(
          { role: fc.constantFrom('user', 'assistant', 'system'), content: text, metadata: json },
          { requiredKeys: ['role', 'content'] },
        ),
        { maxLength: 5 },
      ),
    },
    { requiredKeys: ['messages'] },
  ),
  { maxLength: 4 },
);

describe('export and restore', () => {
  it.each(FORMATS)('give the same bytes of each file (%s)', async (format) => {
    await fc.assert(
      fc.asyncProperty(conversations, async (all) => {
        const from = await openBench();
        // biome-ignore lint/suspicious/noExplicitAny: fast-check makes values of the right types
        for (const each of all as any[]) await from.store.create(each);
        const exported = await from.exported(format);
        const to = await openBench();
        const report = await to.restore(exported);
        expect(report.refused).toEqual([]);
        expect(report.restored).toHaveLength(all.length);
        expect(to.files()).toEqual(from.files());
        expect((await to.restore(exported)).unchanged).toHaveLength(all.length);
      }),
      { numRuns: 40 },
    );
  });

  it.each(FORMATS)('keep every field that a person wrote by hand (%s)', async (format) => {
    const from = await openBench();
    const extra = { seq: 'mine', threadId: 7, extra: { extra: 1 } };
    const byHand = {
      mood: 'calm',
      extra: 'x',
      id: 'y',
      clientId: 'k',
      pinned: true,
      messages: [
        { role: 'user', content: 'a', ...extra },
        { role: 'user', content: 'a' },
      ],
    };
    from.put(ID0, byHand);
    const to = await openBench();
    expect((await to.restore(await from.exported(format))).restored).toEqual([ID0]);
    expect(to.jsonOf(ID0)).toMatchObject(byHand);
    expect(await to.exported(format)).toBe(await from.exported(format));
    expect((await from.restore(await to.exported(format))).unchanged).toEqual([ID0]);
  });

  it('give no key to two conversations if a server gives the same keys meanwhile', async () => {
    const from = await openBench();
    const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
    for (const clientId of keys) await from.store.create({ clientId, messages: [user('a')] });
    const to = await openBench();
    const { store: server, time } = await to.another();
    time.now += 1_000_000; // for ids that the export does not have
    const serving = async () => {
      for (const key of keys.toReversed()) await server.append(key, [user('b')], { create: true });
    };
    const [{ restored, refused }] = await Promise.all([
      to.restore(await from.exported('jsonl')),
      serving(),
    ]);
    expect(restored.length + refused.length).toBe(keys.length);
    const { store } = await to.another();
    expect(await store.list()).toHaveLength(keys.length);
    expect(store.duplicateKeys()).toEqual([]);
  });

  it('decrypt the export of an encrypted store, and encrypt what is restored', async () => {
    const codec = codecOf(new CipherKey(Buffer.alloc(32, 7)));
    const from = await openBench({ codec });
    await from.store.create({ messages: [user('secret')] });
    const exported = await from.exported('jsonl');
    expect(exported).toContain('secret');
    const to = await openBench({ codec });
    await to.restore(exported);
    expect(await to.exported('jsonl')).toBe(exported);
    expect(to.textOf(ID0)).not.toContain('secret');
  });
});

describe('the summaries of a restored export', () => {
  const summary = (text: string) => ({
    text,
    provider: 'extractive',
    messageCount: 1,
    sourceHash: 'h',
    qualityScore: 0.5,
    generatedAt: new Date(T0).toISOString(),
  });

  it.each(FORMATS)('are exported and restored with their conversation (%s)', async (format) => {
    const from = await openBench();
    await from.store.create({ messages: [user('the wall')], metadata: { summaries: 'mine' } });
    await from.summaries.put(ID0, 'brief', summary('About the wall.'));
    await from.summaries.put(ID0, 'detailed', summary('All about the wall.'));
    const exported = await from.exported(format);
    expect(exported).toContain('All about the wall.');
    expect(await from.exported(format, { forSharing: true })).not.toContain('About the wall.');
    const to = await openBench();
    expect((await to.restore(exported, { dryRun: true })).restored).toEqual([ID0]);
    expect((await to.restore(exported)).restored).toEqual([ID0]);
    expect(to.files()).toEqual(from.files());
    expect(await to.summaries.get(ID0)).toEqual(await from.summaries.get(ID0));
    expect(await to.exported(format)).toBe(exported);
  });

  it('are added at levels without a summary, and replace no summary', async () => {
    const bench = await openBench();
    await bench.store.create({ messages: [user('the wall')] });
    const other = await openBench();
    await other.restore(await bench.exported('json'));
    await other.summaries.put(ID0, 'standard', summary('Mine.'));
    await bench.summaries.put(ID0, 'brief', summary('Old.'));
    const exported = await bench.exported('json');
    expect((await other.restore(exported)).unchanged).toEqual([ID0]);
    expect((await other.summaries.get(ID0)).brief?.text).toBe('Old.');
    await other.summaries.put(ID0, 'brief', summary('New.'));
    await other.restore(exported);
    const { brief, standard } = await other.summaries.get(ID0);
    expect([brief?.text, standard?.text]).toEqual(['New.', 'Mine.']);
  });

  it('are reported if they are damaged, and the conversation is exported without them', async () => {
    const bench = await openBench();
    await bench.store.create({ messages: [user('the wall')] });
    writeFileSync(join(bench.store.path(ID0), 'summaries.json'), '{ damaged');
    const { text, damaged } = await bench.exporter.toText(bench.requestOf('json'), {
      max: 100_000,
      measure: (part) => part.length,
    });
    expect(damaged).toMatchObject([{ conversationId: ID0, error: { code: 'CORRUPT' } }]);
    expect(text).toContain('the wall');
    const to = await openBench();
    const broken = text.replace('"messages"', '"summaries.json": 7, "messages"');
    expect((await to.restore(broken)).restored).toEqual([ID0]);
    expect(to.jsonOf(ID0)).toMatchObject({ 'summaries.json': 7 });
  });
});

describe('a conversation that exists before a restore', () => {
  it('is not changed, and with asNew a second conversation is made once', async () => {
    const bench = await openBench();
    await bench.store.append('key', [user('one')], { create: { title: 't' } });
    const exported = await bench.exported('jsonl');
    await bench.store.append('key', [assistant('two')]);
    const before = bench.textOf(ID0);
    expect((await bench.restore(exported)).refused).toMatchObject([
      { location: 'line 1', conversationId: ID0, code: 'ALREADY_EXISTS' },
    ]);
    const dry = await bench.restore(exported, { asNew: true, dryRun: true });
    expect(dry.asNew).toEqual([{ from: ID0 }]);
    expect(Object.keys(bench.files())).toEqual([ID0]);
    const { asNew } = await bench.restore(exported, { asNew: true });
    const id = asNew[0]?.id ?? '';
    expect(bench.textOf(ID0)).toBe(before);
    expect(bench.jsonOf(id)).toMatchObject({
      conversationId: id,
      title: 't',
      messages: [{ content: 'one' }],
      metadata: { restoredFrom: { conversationId: ID0 } },
    });
    expect(bench.jsonOf(id).clientId).toBeUndefined();
    expect((await bench.restore(exported, { asNew: true })).unchanged).toEqual([id]);
    expect((await bench.store.load('key')).messageCount).toBe(2);
  });

  it('keeps its key, so a conversation with the same key is refused', async () => {
    const from = await openBench();
    await from.store.append('key', [user('one')], { create: true });
    const to = await openBench();
    to.time.now = T0 + 5;
    await to.store.append('key', [user('other')], { create: true });
    const report = await to.restore(await from.exported('json'));
    expect(report.refused.map(({ code }) => code)).toEqual(['CONFLICT']);
  });

  it('is not needed for a dry run, which writes nothing', async () => {
    const from = await openBench();
    await from.store.create({ messages: [user('x')] });
    const to = await openBench();
    expect((await to.restore(await from.exported('json'), { dryRun: true })).restored).toEqual([
      ID0,
    ]);
    expect(to.files()).toEqual({});
  });
});

describe('the restore of a damaged export', () => {
  const thread = (n: number, more = {}) =>
    JSON.stringify({ thread: { id: `20250124-${T0 + n}`, createdAt: 'x', ...more } });
  const message = (n: number, more = {}) =>
    JSON.stringify({
      message: { id: `m${n}`, threadId: `20250124-${T0 + n}`, role: 'user', content: 'x', ...more },
    });

  it('refuses only the damaged conversations, each with its line', async () => {
    const bench = await openBench();
    const lines = [
      thread(0),
      message(0),
      thread(1, { messageCount: 2 }),
      message(1),
      thread(2),
      '{ torn',
      message(2),
      thread(3),
      message(3, { role: 'robot' }),
      thread(4, { formatVersion: 99 }),
      JSON.stringify({ thread: { id: '../../evil' } }),
      JSON.stringify({ thread: { id: 'my-uuid' } }),
      thread(5),
      message(5),
      thread(0),
      message(0),
    ];
    const report = await bench.restore(`${lines.join('\r\n')}\n`);
    expect(report.restored).toEqual([`20250124-${T0}`, `20250124-${T0 + 5}`]);
    expect(report.refused.map(({ location, code }) => [location, code])).toEqual([
      ['line 3', 'VALIDATION_ERROR'],
      ['line 5', 'VALIDATION_ERROR'],
      ['line 8', 'CONVERSATION_CORRUPTED'],
      ['line 10', 'FORMAT_TOO_NEW'],
      ['line 11', 'VALIDATION_ERROR'],
      ['line 12', 'VALIDATION_ERROR'],
      ['line 15', 'CONFLICT'],
    ]);
  });

  it('refuses a message that belongs to no conversation', async () => {
    const bench = await openBench();
    const stray = JSON.stringify({ message: { id: 'm', role: 'user', content: 'x' } });
    const report = await bench.restore([stray, thread(0), message(0)].join('\n'));
    expect(report.restored).toEqual([`20250124-${T0}`]);
    expect(report.refused.map(({ location }) => location)).toEqual(['line 1']);
  });

  it.each([
    '{"a":1}',
    '[]',
    'hello',
    '{"format":"daybook-export"}',
  ])('refuses a file that is no export: %s', async (content) => {
    const bench = await openBench();
    expect((await errorOf(bench.restore(content))).code).toBe('CORRUPT');
  });

  it('refuses a newer version of the format, and accepts an empty file', async () => {
    const bench = await openBench();
    const newer = JSON.stringify({ format: 'daybook-export', version: 2, conversations: [] });
    expect((await errorOf(bench.restore(newer))).code).toBe('FORMAT_TOO_NEW');
    expect((await bench.restore('')).refused).toEqual([]);
  });

  it.each([
    'json',
    'openai',
    'markdown',
  ] as const)('refuses %s with a hint to import_conversations', async (form) => {
    const bench = await openBench();
    await bench.store.create({ messages: [user('the wall')] });
    await bench.store.create({ messages: [user('the shed')] });
    const text = await bench.exported(form);
    const error = await errorOf(bench.restore(form === 'json' ? text.slice(0, -9) : text));
    expect(error.code).toBe('CORRUPT');
    expect(error.hint).toContain('import_conversations');
  });
});
