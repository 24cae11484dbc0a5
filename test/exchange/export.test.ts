/** Exports: formats, selections, what is omitted for sharing, and answers of limited size. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/tools/answers/answer-budget.js';
import { assistant, ID0, T0, user } from '../stores/conversations/store.js';
import { errorOf } from '../support/error-of.js';
import { callsDuring } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';
import { openBench } from './bench.js';

const DIST = resolve(import.meta.dirname, '../../dist');
const HAND_WRITTEN = {
  title: '手書き',
  module: 'plan',
  tags: ['q2', '計画'],
  pinned: true,
  clientId: 'my-plan',
  metadata: { a: { b: [1, null] } },
  branchOf: { conversationId: '20250101-1735689600000', messageId: 'm' },
  mood: 'calm',
  extra: 'a field of this name',
  messages: [
    { role: 'system', content: 'Be kind.', id: 's' },
    { role: 'user', content: 'line\u2028separator\n日本語', id: 'u', seq: 'mine', threadId: 7 },
    { role: 'assistant', content: '', id: 'a', parentMessageId: 's', metadata: { cost: 1 } },
  ],
};

describe('an export', () => {
  it('as JSON Lines has the lines and fields of the older system, and all other fields', async () => {
    const { put, exported } = await openBench();
    put(ID0, HAND_WRITTEN);
    const lines = (await exported('jsonl'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(4);
    expect(lines[0].thread).toMatchObject({
      id: ID0,
      module: 'plan',
      title: '手書き',
      createdAt: '2025-01-24T13:20:00.123Z',
      clientId: 'my-plan',
      pinned: true,
      tags: ['q2', '計画'],
      messageCount: 3,
      metadata: HAND_WRITTEN.metadata,
      branchOf: HAND_WRITTEN.branchOf,
      extra: { mood: 'calm', extra: 'a field of this name' },
    });
    expect(lines[2].message).toEqual({
      id: 'u',
      threadId: ID0,
      seq: 2,
      role: 'user',
      content: 'line\u2028separator\n日本語',
      createdAt: '2025-01-24T13:20:00.123Z',
      extra: { seq: 'mine', threadId: 7 },
    });
  });

  it('as JSON has the documents of the store', async () => {
    const { put, exported, documents } = await openBench();
    expect(JSON.parse(await exported('json')).conversations).toEqual([]);
    put(ID0, HAND_WRITTEN);
    put('20250125-1737800000000', { messages: [] });
    const { format, version, conversations } = JSON.parse(await exported('json'));
    expect([format, version]).toEqual(['daybook-export', 1]);
    expect(conversations).toHaveLength(2);
    expect(conversations[0]).toEqual(JSON.parse((await documents.read(ID0))?.text ?? ''));
    expect(conversations[1].messages).toEqual([]);
  });

  it('as Markdown closes a code block that a message left open', async () => {
    const { store, exported } = await openBench();
    const messages = [user('Show me\n```js\ncode'), assistant('Here.')];
    await store.create({ title: 'A\n title', module: 'discuss', tags: ['x'], messages });
    expect(await exported('markdown')).toBe(
      `# A title\n\n*2025-01-24 · discuss · #x · ${ID0}*\n\n## User · 2025-01-24 13:20\n\nShow me\n\`\`\`js\ncode\n\`\`\`\n\n## Assistant · 2025-01-24 13:20\n\nHere.\n`,
    );
  });
});

describe('the sources of a message', () => {
  it('are links below its text in Markdown, with escaped titles', async () => {
    const { store, exported } = await openBench();
    const sources = [
      { id: 1, url: 'https://example.org/a_b', title: 'A *page*\n## User', date: '2026-01-02' },
      { id: 2, alsoMarked: [4], url: 'javascript:alert(1)', title: '' },
      { url: 'https://example.org/c' },
      { title: 'without a url' },
    ];
    const messages = [{ ...assistant('So [1].'), metadata: { sources } }, user('Thanks.')];
    await store.create({ messages });
    const text = await exported('markdown');
    expect(text.slice(text.indexOf('So [1].'))).toBe(
      [
        ...['So [1].', '', 'Sources:', ''],
        '- \\[1\\] A \\*page\\* \\#\\# User (2026-01-02): <https://example.org/a_b>',
        '- \\[2\\]\\[4\\]: javascript:alert(1)',
        '- <https://example.org/c>',
        ...['', '## User · 2025-01-24 13:20', '', 'Thanks.', ''],
      ].join('\n'),
    );
  });

  it('are also in an export for sharing, if they are pages of the web, without their snippets', async () => {
    const { store, exported } = await openBench();
    const page = { id: 1, url: 'https://example.org/a', title: 'A', alsoMarked: [4] };
    const sources = [
      { ...page, snippet: 'secret' },
      { id: 2, url: 'file:///home/a', title: 'B' },
      { id: 3, url: { toString: null }, title: 'C' },
    ];
    const metadata = { sources, model: 'm', thinking: 'secret' };
    await store.create({ messages: [{ ...assistant('So [1].'), metadata }, user('Thanks.')] });
    const [shared] = JSON.parse(await exported('json', { forSharing: true })).conversations;
    expect(shared.messages[0].metadata).toEqual({ sources: [page] });
    expect(shared.messages[1]).not.toHaveProperty('metadata');
    const text = await exported('markdown', { forSharing: true });
    expect(text).toContain('- \\[1\\]\\[4\\] A: <https://example.org/a>');
  });

  it('show an address once if it is also the title', async () => {
    const { store, exported } = await openBench();
    const url = 'https://example.org/a#b';
    const metadata = { sources: [{ id: 3, url, title: url }] };
    await store.create({ messages: [{ ...assistant('So [3].'), metadata }] });
    expect(await exported('markdown')).toContain(`- \\[3\\]: <${url}>\n`);
  });
});

describe('an export of selected conversations', () => {
  it('selects by id, key, module, tag and time, and keeps the order of creation', async () => {
    const { store, time, exported } = await openBench();
    const ids: string[] = [];
    for (const module of ['plan', 'mind', 'plan']) {
      const tags = [`In ${module}`];
      ids.push((await store.create({ module, tags, messages: [user('x')] })).conversationId);
      time.now += 86_400_000;
    }
    await store.append('my-key', [user('y')], { create: true });
    const idsOf = async (selection: object) =>
      JSON.parse(await exported('json', { selection })).conversations.map(
        (each: { conversationId: string }) => each.conversationId,
      );
    expect(await idsOf({ refs: [ids[2], ids[0]] })).toEqual([ids[0], ids[2]]);
    expect(await idsOf({ refs: ['my-key'] })).toHaveLength(1);
    expect(await idsOf({ module: 'plan' })).toEqual([ids[0], ids[2]]);
    expect(await idsOf({ tag: 'in MIND' })).toEqual([ids[1]]);
    expect(await idsOf({ startTime: T0 + 1, endTime: T0 + 90_000_000 })).toEqual([ids[1]]);
    expect((await errorOf(exported('json', { selection: { refs: ['none'] } }))).code).toBe(
      'CONVERSATION_NOT_FOUND',
    );
  });

  it('reports a damaged conversation and contains the others', async () => {
    const { put, exporter, exported, requestOf, store } = await openBench();
    put(ID0, '{ "messages": [');
    put('20250125-1737800000000', { messages: [] });
    await store.list();
    for (const selection of [{}, { refs: [ID0] }]) {
      const found = await exporter.toText(requestOf('json', { selection }), {
        max: 8000,
        measure: estimateTokens,
      });
      expect(found.damaged.map(({ error }) => error.code)).toEqual(['CONVERSATION_CORRUPTED']);
    }
    expect(await exported('json')).toContain('20250125-1737800000000');
  });

  it('has no private fields if it is for sharing', async () => {
    const { put, exported } = await openBench();
    put(ID0, HAND_WRITTEN);
    const [shared] = JSON.parse(await exported('json', { forSharing: true })).conversations;
    expect(Object.keys(shared)).toEqual([
      ...['conversationId', 'createdAt', 'updatedAt', 'messageCount', 'formatVersion'],
      ...['title', 'module', 'tags', 'messages'],
    ]);
    expect(shared.messageCount).toBe(2);
    expect(shared.messages).toHaveLength(2);
    for (const message of shared.messages) {
      expect(Object.keys(message)).toEqual(['id', 'role', 'content', 'createdAt']);
    }
  });
});

describe('an export as an answer', () => {
  it('has whole conversations within its size limit, and the next page continues there', async () => {
    const { store, exporter, requestOf } = await openBench();
    const all: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const long = n === 5 ? 40_000 : 400;
      const { conversationId } = await store.create({ messages: [user('語'.repeat(long))] });
      all.push(conversationId);
    }
    for (const format of ['json', 'jsonl', 'markdown'] as const) {
      const seen: string[] = [];
      let after: string | undefined;
      let pages = 0;
      do {
        const request = requestOf(format, { selection: { after } });
        const page = await exporter.toText(request, { max: 1500, measure: estimateTokens });
        expect(estimateTokens(page.text)).toBeLessThanOrEqual(1500);
        expect(page.total).toBe(12);
        if (format === 'json') expect(JSON.parse(page.text).format).toBe('daybook-export');
        seen.push(...all.filter((id) => page.text.includes(id)));
        seen.push(...page.tooLong.map(({ conversationId }) => conversationId));
        after = page.nextAfter;
        pages += 1;
      } while (after !== undefined);
      expect(seen.sort()).toEqual(all);
      expect(pages).toBeGreaterThan(3);
    }
  });
});

describe('an export to a file', () => {
  it('writes a private file inside the folder of exports, and never overwrites one', async () => {
    const { store, exporter, requestOf, folder } = await openBench();
    await store.create({ messages: [user('x')] });
    const { path, sizeBytes } = await exporter.toFile('プラン/all.jsonl', requestOf('jsonl'));
    expect(path).toBe(join(folder, 'プラン/all.jsonl'));
    expect(statSync(path)).toMatchObject({ size: sizeBytes });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
    const again = exporter.toFile('プラン/all.jsonl', requestOf('json'));
    expect((await errorOf(again)).code).toBe('ALREADY_EXISTS');
    for (const name of ['../x.json', '/x.json', 'C:\\x.json', 'a\\..\\x', 'con']) {
      expect((await errorOf(exporter.toFile(name, requestOf('json')))).code).toBe('PATH_ESCAPE');
    }
  });

  it('makes no temporary file before it has listed the conversations', async () => {
    const { store, exporter, requestOf } = await openBench();
    await store.create({ messages: [user('x')] });
    const folder = tempFolder();
    const path = join(folder, 'all.jsonl');
    const missing = requestOf('jsonl', { selection: { refs: ['none'] } });
    const isTemporary = (call: { path: string }) => call.path.includes('.tmp-');
    const failed = await callsDuring(folder, () => errorOf(exporter.toPath(path, missing)));
    expect(failed.filter(isTemporary)).toEqual([]);
    const written = await callsDuring(folder, () => exporter.toPath(path, requestOf('jsonl')));
    expect(written.filter(isTemporary)).not.toEqual([]);
  });

  it('leaves no file if it is cancelled or fails', async () => {
    const { store, exporter, requestOf, folder } = await openBench();
    for (let n = 0; n < 5; n += 1) await store.create({ messages: [user('x')] });
    const stop = new AbortController();
    const onProgress = (done: number) => done === 3 && stop.abort();
    const request = requestOf('json', { signal: stop.signal, onProgress });
    await expect(exporter.toFile('x.json', request)).rejects.toMatchObject({ name: 'AbortError' });
    const missing = requestOf('json', { selection: { refs: ['none'] } });
    expect((await errorOf(exporter.toFile('x.json', missing))).code).toBe('CONVERSATION_NOT_FOUND');
    expect(readdirSync(folder)).toEqual(['.gitignore']);
  });
});

describe('an export of a large store', () => {
  it('of 100 000 messages needs less memory than the messages', () => {
    const folder = tempFolder();
    const messages = Array.from({ length: 1000 }, (_, n) => ({
      role: n % 2 ? 'assistant' : 'user',
      content: `${n} ${'lorem ipsum '.repeat(16)}`,
    }));
    const text = JSON.stringify({ messages });
    for (let n = 0; n < 100; n += 1) {
      const id = `20250124-${1737724800000 + n}`;
      mkdirSync(join(folder, 'logs', id), { recursive: true });
      writeFileSync(join(folder, 'logs', id, 'conversation.json'), text);
    }
    const script = resolve(import.meta.dirname, '../support/export-all.mjs');
    const limits = ['--max-old-space-size=64', '--max-semi-space-size=2'];
    for (const format of ['json', 'jsonl', 'markdown']) {
      const out = execFileSync(process.execPath, [...limits, script, DIST, folder, format]);
      const { messages: count, sizeBytes, path } = JSON.parse(out.toString());
      expect(count).toBe(100_000);
      expect(sizeBytes).toBeGreaterThan(20_000_000);
      expect(existsSync(path)).toBe(true);
    }
  });
});
