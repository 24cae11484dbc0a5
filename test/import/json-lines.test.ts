/** Exports that were converted to JSON Lines, one conversation or memory a line. */
import { describe, expect, it } from 'vitest';
import { errorOf } from '../support/error-of.js';
import { zipOf } from '../support/zip.js';
import { folderWith, lines, openImportBench, said } from './bench.js';

const SAMPLES: Readonly<Record<string, (id: string) => object>> = {
  chatgpt: (id) => ({
    id,
    current_node: 'a',
    mapping: {
      q: { id: 'q', parent: null, message: message('user') },
      a: { id: 'a', parent: 'q', message: message('assistant') },
    },
  }),
  claude: (id) => ({
    uuid: id,
    chat_messages: [
      { uuid: 'q', sender: 'human', text: 'hello' },
      { uuid: 'a', sender: 'assistant', text: 'hello' },
    ],
  }),
  openwebui: (id) => ({
    id,
    chat: {
      history: {
        currentId: 'a',
        messages: {
          q: { role: 'user', content: 'hello', parentId: null },
          a: { role: 'assistant', content: 'hello', parentId: 'q' },
        },
      },
    },
  }),
  librechat: (conversationId) => ({
    conversationId,
    messages: [
      { messageId: 'q', text: 'hello', isCreatedByUser: true },
      { messageId: 'a', parentMessageId: 'q', text: 'hello', isCreatedByUser: false },
    ],
  }),
};
const message = (role: string) => ({
  author: { role },
  content: { content_type: 'text', parts: ['hello'] },
});

describe.each(Object.entries(SAMPLES))('JSON Lines of %s', (kind, sample) => {
  it.each([
    'all.jsonl',
    'all.json',
  ])('are imported from %s, and a damaged line is reported', async (name) => {
    const bench = await openImportBench();
    const content = `\ufeff${lines(sample('c1'), '', '{"id": "c2", "ti', sample('c3'))}\r\n`;
    const report = await bench.importText(content, name);
    expect(report.sources).toMatchObject([{ kind }]);
    expect(report.problems).toMatchObject([{ path: name, record: 'line 3', code: 'CORRUPT' }]);
    expect(report).toMatchObject({ added: 2, skipped: 1 });
    for (const id of ['c1', 'c3']) {
      expect(said(bench.bySource(id))).toEqual(['user: hello', 'assistant: hello']);
    }
    const before = bench.hash();
    expect(await bench.importText(content, name)).toMatchObject({ added: 0, unchanged: 2 });
    expect(bench.hash()).toBe(before);
  });

  it('give the same conversations as a list', async () => {
    const bench = await openImportBench();
    const all = [sample('c1'), sample('c2')];
    await bench.importText(kind === 'librechat' ? (all[0] ?? {}) : all, 'conversations.json');
    const path = folderWith({ 'conversations.jsonl': lines(...all) });
    expect(await bench.import(path)).toMatchObject({ updated: 0, problems: [] });
    expect(bench.folders()).toHaveLength(2);
  });
});

it('JSON Lines of mem0 are imported', async () => {
  const bench = await openImportBench();
  const content = lines({ id: 'a', memory: 'Likes larch' }, '{', { id: 'b', memory: 'Has a shed' });
  const report = await bench.importText(content, 'memories.jsonl');
  expect(report).toMatchObject({ insights: 2, problems: [{ record: 'line 2' }] });
});

it('a document with line breaks, and lines of another form, are not JSON Lines', async () => {
  const bench = await openImportBench();
  const document = JSON.stringify(SAMPLES['librechat']?.('c'), null, 1);
  expect(await bench.importText(document)).toMatchObject({ added: 1, problems: [] });
  const error = await errorOf(
    bench.importText(lines({ level: 'info' }, { level: 'warn' }), 'a.jsonl'),
  );
  expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
});

describe('JSON Lines of a program that Daybook does not know, with a field message', () => {
  const FOREIGN = lines(
    { type: 'session', message: { role: 'user', content: 'hello' } },
    { type: 'session', message: { role: 'assistant', content: 'hello' } },
  );

  it('are not taken for an export of Daybook', async () => {
    const bench = await openImportBench();
    const error = await errorOf(bench.importText(FOREIGN, 'session.jsonl'));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('do not hide another export in the same archive', async () => {
    const bench = await openImportBench();
    const chat = { messages: [{ role: 'user', content: 'hello' }] };
    const archive = zipOf([
      { name: 'a-session.jsonl', content: FOREIGN },
      { name: 'chats.jsonl', content: lines(chat, chat) },
    ]);
    const report = await bench.importText(archive, 'all.zip');
    expect(report.sources).toMatchObject([{ kind: 'openai' }]);
    expect(report).toMatchObject({ added: 2, skipped: 0 });
  });
});
