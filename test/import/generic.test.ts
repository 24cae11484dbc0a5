/** Formats that many programs write: role and content in JSON, Markdown transcripts, Daybook's own. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { counts, fileWith, folderWith, lines, openImportBench, said } from './bench.js';

const HELLO = [
  { role: 'system', content: 'Be kind.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Hello' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', function: { name: 'time', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'noon' },
  { role: 'assistant', content: 'Good day.' },
];
const SAID = ['system: Be kind.', 'user: Hello\n\n[image: inline]', 'assistant: Good day.'];

describe('conversations with role and content', () => {
  it.each([
    ['one document', 'a.json', { messages: HELLO }],
    ['a list', 'a.json', [{ messages: HELLO }]],
    ['lines', 'a.jsonl', lines({ messages: HELLO })],
    ['a bare list of messages', 'a.json', HELLO],
    ['an export with conversations', 'a.json', { conversations: [{ messages: HELLO }] }],
  ])('are read as %s', async (_form, name, content) => {
    const bench = await openImportBench();
    const report = await bench.importText(content, name);
    expect(report.sources).toMatchObject([{ kind: 'openai' }]);
    expect(bench.folders()).toHaveLength(1);
    const made = bench.jsonOf(bench.folders()[0] ?? '');
    expect(said(made)).toEqual(SAID);
    expect(made.messages[2].metadata.tools).toEqual([
      { name: 'time', input: '{}', result: 'noon' },
    ]);
  });

  it.each([
    ['lines', 'a.jsonl', lines({ messages: [] }, { messages: HELLO }, { messages: [] })],
    ['a list', 'a.json', [{ messages: [] }, { messages: HELLO }, { messages: [] }]],
  ])('are skipped in %s if they have no message', async (_form, name, content) => {
    const bench = await openImportBench();
    expect(await bench.importText(content, name)).toMatchObject({
      added: 1,
      skipped: 2,
      problems: [],
      leftOut: { 'conversations without messages': 2 },
    });
    // The id does not depend on them.
    const { id } = bench.jsonOf(bench.folders()[0] ?? '').metadata.source;
    expect(id).toMatch(/^a\.jsonl?:0:/);
  });

  const SHARED = {
    id: 'QWJhYvA_0',
    system: 'Be kind.',
    conversations: [
      { from: 'human', value: 'Hello' },
      { from: 'function_call', value: '{"name":"time","arguments":{}}' },
      { from: 'observation', value: 'noon' },
      { from: 'gpt', value: 'Good day.' },
    ],
  };
  const OTHER = { conversations: [{ role: 'user', content: 'there' }] };

  it.each([
    ['one document', 'a.json', SHARED, 1],
    ['a list', 'a.json', [SHARED, OTHER, { conversations: [] }], 2],
    ['lines', 'a.jsonl', lines(SHARED, OTHER, { conversations: [] }), 2],
    ['lines in a file named .json', 'a.json', lines(SHARED, OTHER), 2],
  ])('are read with the field names of ShareGPT, as %s', async (_form, name, content, added) => {
    const bench = await openImportBench();
    const path = fileWith(content, name);
    const report = await bench.import(path);
    expect(report).toMatchObject({ added, problems: [], sources: [{ kind: 'openai' }] });
    const made = bench.bySource('QWJhYvA_0');
    expect(said(made)).toEqual(['system: Be kind.', 'user: Hello', 'assistant: Good day.']);
    expect(made.messages[2].metadata.tools).toEqual([
      { name: 'time', input: '{}', result: 'noon' },
    ]);
    const before = bench.hash();
    await bench.import(path);
    expect(bench.hash()).toBe(before);
  });

  it.each([['utf-16le'], ['utf-16be']])('are read in %s, as PowerShell writes them', async (of) => {
    const bench = await openImportBench();
    const text = lines({ messages: [{ role: 'user', content: 'Grüße 🌲' }] }, { messages: HELLO });
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    const report = await bench.importText(of === 'utf-16le' ? bytes : bytes.swap16(), 'a.jsonl');
    expect(report).toMatchObject({ added: 2, problems: [] });
    const contents = bench.folders().map((folder) => bench.jsonOf(folder).messages[0].content);
    expect(contents).toContain('Grüße 🌲');
  });

  it('are read from the flat folder and the export of mnemosyne, and their ids are keys', async () => {
    const bench = await openImportBench();
    const flat = (id: string) => ({
      id,
      title: 'Flat',
      created_at: 1706102400123,
      updated_at: 1706102401123,
      messages: [{ id: `m-${id}`, role: 'user', content: 'hi', created_at: 1706102400123 }],
    });
    await bench.import(folderWith({ 'one.json': flat('test-convo'), 'two.json': flat('other') }));
    expect(bench.bySource('test-convo')).toMatchObject({
      clientId: 'test-convo',
      createdAt: '2024-01-24T13:20:00.123Z',
      updatedAt: '2024-01-24T13:20:01.123Z',
    });
    expect((await bench.store.load('other')).messages).toHaveLength(1);
  });

  it('are imported under other keys if a key is used already', async () => {
    const bench = await openImportBench();
    await bench.store.append('mine', [{ role: 'user', content: 'here' }], { create: true });
    await bench.importText([{ id: 'mine', messages: [{ role: 'user', content: 'there' }] }]);
    expect((await bench.store.load('mine')).messages[0]?.content).toBe('here');
    expect(bench.bySource('mine').clientId).toBeUndefined();
  });

  it('have only tags with a text', async () => {
    const bench = await openImportBench();
    await bench.importText([{ id: 'c', tags: ['', ' ', '#', 7, 'garden'], messages: HELLO }]);
    expect(bench.bySource('c').tags).toEqual(['openai', 'garden']);
  });

  it('have no secrets in their tags and metadata', async () => {
    const bench = await openImportBench();
    const token = `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`;
    const messages = [{ role: 'user', content: 'hi' }];
    const report = await bench.importText([
      { id: 'c', module: token, tags: [token], metadata: { key: token }, messages },
    ]);
    expect(report.masked).toBe(3);
    expect(JSON.stringify(bench.bySource('c'))).not.toContain(token);
  });

  it('are imported without unreadable records, which are reported', async () => {
    const bench = await openImportBench();
    const text = `${lines({ messages: HELLO })}{broken\n${lines({ messages: HELLO.slice(0, 2) })}`;
    const report = await bench.importText(text, 'a.jsonl');
    expect(report.problems).toMatchObject([{ record: 'line 2', code: 'CORRUPT' }]);
    expect(counts(report)).toMatchObject({ added: 2, skipped: 1 });
  });

  it('are extended when the file has grown, also without times', async () => {
    const bench = await openImportBench();
    await bench.importText(HELLO.slice(0, 2), 'chat.json');
    const report = await bench.importText(HELLO, 'chat.json');
    expect(counts(report)).toMatchObject({ added: 0, updated: 1 });
    expect(bench.folders()).toHaveLength(1);
  });
});

describe('a transcript in Markdown', () => {
  it.each([
    [
      'headings',
      '# Shed\n\n## User\n\nHow?\n\n```\n## Assistant\n```\n\n---\n\n## Assistant\n\nSo.',
    ],
    [
      'names as on the page of ChatGPT',
      '# Shed\n\nYou said:\nHow?\n\n```\n## Assistant\n```\nChatGPT said:\n\nSo.',
    ],
    [
      'headings as on the page of ChatGPT',
      '# Shed\n\n##### You said:\nHow?\n\n```\n## Assistant\n```\n###### **ChatGPT said:**\nSo.',
    ],
    ['bold words', '# Shed\n\n**You:**\nHow?\n\n```\n## Assistant\n```\n\n**ChatGPT:**\nSo.'],
    [
      'front matter',
      '---\ntitle: "Shed"\ndate: 2025-01-24\n---\n### User:\nHow?\n\n```\n## Assistant\n```\n### Claude\nSo.\n',
    ],
  ])('is read by %s', async (_form, content) => {
    const bench = await openImportBench();
    const report = await bench.importText(content, 'shed.md');
    expect(report.sources).toMatchObject([{ kind: 'markdown' }]);
    const made = bench.bySource('shed.md');
    expect(made.title).toBe('Shed');
    expect(said(made)).toEqual(['user: How?\n\n```\n## Assistant\n```', 'assistant: So.']);
  });

  it.each([
    ['a colon inside', '# Shed\n\n**User:** How?\n**Assistant:** So.\n\n**Note:** wood\n'],
    ['a colon behind', '# Shed\n**You**: How?\n\n**ChatGPT**: So.\n\n**Note:** wood'],
    [
      'a field before it',
      '# Shed\n\n**Date:** today\n\n**Me:** How?\n**AI:**\nSo.\n\n**Note:** wood',
    ],
  ])('may have the text on the same line as a bold name, with %s', async (_form, content) => {
    const bench = await openImportBench();
    const report = await bench.importText(content, 'shed.md');
    expect(report.sources).toMatchObject([{ kind: 'markdown' }]);
    const made = bench.bySource('shed.md');
    expect(made.title).toBe('Shed');
    expect(said(made)).toEqual(['user: How?', 'assistant: So.\n\n**Note:** wood']);
  });

  it.each([
    ['nothing but a title', '# Shed\n\n', undefined],
    [
      'text',
      '# Shed\n\n*Exported today*\n\nLink: https://a.example\n\n---\n\n',
      '*Exported today*\n\nLink: https://a.example',
    ],
    [
      'front matter',
      '---\ntitle: Shed\nmodel: x\ndate: 2025-01-24\n---\n# A shed\n',
      'model: x\n\n# A shed',
    ],
  ])('keeps the text before the first speaker: %s', async (_what, before, preamble) => {
    const bench = await openImportBench();
    const path = fileWith(`${before}## User\nHow?\n\n## Assistant\nSo.`, 'shed.md');
    await bench.import(path);
    const made = bench.bySource('shed.md');
    expect(made.title).toBe('Shed');
    expect(said(made)).toEqual(['user: How?', 'assistant: So.']);
    expect(made.messages[0].metadata?.preamble).toBe(preamble);
    const hash = bench.hash();
    await bench.import(path);
    expect(bench.hash()).toBe(hash);
  });

  it('keeps the text before the first speaker if there is no title', async () => {
    const bench = await openImportBench();
    await bench.import(fileWith('Exported today\n\n## User\nHow?\n\n## Assistant\nSo.', 'shed.md'));
    const made = bench.bySource('shed.md');
    expect(made.title).toBe('shed');
    expect(made.messages[0].metadata?.preamble).toBe('Exported today');
  });

  it('may begin a code block on the same line as a bold name', async () => {
    const bench = await openImportBench();
    const content = '**User:** ```\n**AI:** a\n```\n**AI:** So.\n**User:** Yes';
    await bench.importText(content, 'a.md');
    const expected = ['user: ```\n**AI:** a\n```', 'assistant: So.', 'user: Yes'];
    expect(said(bench.bySource('a.md'))).toEqual(expected);
  });

  it.each([
    ['a title', '# Shed\n\nUser: How?\nWhy: wood\n\nAI: So.\nhuman: Yes'],
    ['front matter', '---\ntitle: Shed\n---\nHuman: How?\nWhy: wood\n\nClaude: So.\n\nMe: Yes\n'],
  ])('may have plain names if it begins with one, after %s', async (_what, content) => {
    const bench = await openImportBench();
    await bench.importText(content, 'shed.txt');
    const made = bench.bySource('shed.txt');
    expect(made.title).toBe('Shed');
    expect(said(made)).toEqual(['user: How?\nWhy: wood', 'assistant: So.', 'user: Yes']);
  });

  it('with headings keeps lines with bold names in its messages', async () => {
    const bench = await openImportBench();
    await bench.importText('## User\nHow?\n\n## Assistant\n**User:** root\n**AI:** on', 'a.md');
    const expected = ['user: How?', 'assistant: **User:** root\n**AI:** on'];
    expect(said(bench.bySource('a.md'))).toEqual(expected);
  });

  it.each([
    ['fields', '**Host:** shed\n**User:** root\n**Assistant:** none'],
    ['one name', '# Login\n\n**User:** root\n\nThe **Assistant:** is off.'],
    ['a prompt and its answer', '**Prompt:** $\n**Response:** 200 OK'],
    ['a model and a user', '**Model:** x\n\n**User:** root\n**System:** Linux'],
    ['plain fields', 'Host: shed\nUser: root\nAssistant: none'],
    ['plain names of one side', 'User: root\nHuman: none'],
    ['items', '- **User:** a person\n- **Assistant:** a program'],
  ])('is different from a note with bold words: %s', async (_what, content) => {
    const bench = await openImportBench();
    await expect(bench.importText(content, 'note.md')).rejects.toThrow();
  });

  it('is different from a text with other headings', async () => {
    const bench = await openImportBench();
    await expect(bench.importText('# Plan\n\n## User\n\nstories', 'plan.md')).rejects.toThrow();
  });
});

describe('files in the format of Daybook', () => {
  const THREAD = '44444444-eeee-4eee-8eee-000000000001';

  it('are imported from the JSON Lines of odei-history, with their ids as keys', async () => {
    const bench = await openImportBench();
    const text = lines(
      {
        thread: {
          id: THREAD,
          module: 'discuss',
          title: 'Values',
          createdAt: '2025-12-18T14:22:00Z',
          meta: { tags: ['values'], status: 'open' },
        },
      },
      {
        message: {
          id: 'm2',
          threadId: THREAD,
          seq: 2,
          role: 'assistant',
          content: 'two',
          createdAt: '2025-12-18T14:23:00Z',
        },
      },
      {
        message: {
          id: 'm1',
          threadId: THREAD,
          seq: 1,
          role: 'user',
          content: 'one',
          createdAt: '2025-12-18T14:22:00Z',
        },
      },
    );
    await bench.importText(text, 'history.jsonl');
    const made = bench.bySource(THREAD);
    expect(made).toMatchObject({
      clientId: THREAD,
      module: 'discuss',
      tags: ['daybook', 'values'],
    });
    expect(said(made)).toEqual(['user: one', 'assistant: two']);
    expect((await bench.store.load(THREAD)).title).toBe('Values');
  });

  it('keep the ids of folders that perplexity-mcp-server wrote', async () => {
    const bench = await openImportBench();
    const id = '20250124-1706102400123';
    const folder = folderWith({
      [`conversation-logs/${id}/conversation.json`]: {
        conversationId: id,
        createdAt: '2025-01-24T15:00:00.123Z',
        messageCount: 9,
        messages: [
          { role: 'system', content: 'You are' },
          { role: 'user', content: 'What is new?' },
        ],
      },
      'conversation-logs/20250125-1706188800456/conversation.json': '{ broken',
    });
    const report = await bench.import(folder);
    expect(counts(report)).toMatchObject({ added: 1, skipped: 1 });
    expect(bench.folders()).toEqual([id]);
    expect(bench.jsonOf(id)).toMatchObject({
      createdAt: '2025-01-24T15:00:00.123Z',
      messageCount: 2,
    });
    const before = bench.hash();
    await bench.import(folder);
    expect(bench.hash()).toBe(before);
  });

  it('are not doubled when a root imports itself', async () => {
    const bench = await openImportBench();
    await bench.store.create({ messages: [{ role: 'user', content: 'a' }] });
    const report = await bench.import(join(bench.logsFolder));
    expect(counts(report)).toEqual({ added: 0, updated: 0, unchanged: 1, skipped: 0 });
  });
});

describe('two conversations with one id', () => {
  const said1 = { id: '1', title: 'Bees', messages: [{ role: 'user', content: 'Do bees sleep?' }] };
  const said2 = { id: '1', title: 'Mills', messages: [{ role: 'user', content: 'A mill wheel' }] };

  it.each([
    ['one file', [[said1, said2]]],
    ['two files', [said1, said2]],
  ])('in %s keep their titles, and a repeated import changes nothing', async (_form, files) => {
    const bench = await openImportBench();
    for (const file of files) await bench.importText(file, 'a.json');
    const titles = () =>
      bench.folders().map((id) => [bench.jsonOf(id).title, said(bench.jsonOf(id))]);
    const expected = [
      ['Bees', ['user: Do bees sleep?']],
      ['Mills', ['user: A mill wheel']],
    ];
    expect(titles()).toEqual(expected);
    for (const file of files)
      expect(await bench.importText(file, 'a.json')).toMatchObject({ added: 0 });
    expect(titles()).toEqual(expected);
  });

  it('keep their titles if a client wrote the source into the metadata', async () => {
    const bench = await openImportBench();
    const { store } = bench;
    const { conversationId } = await store.create({
      metadata: { source: { kind: 'openai', id: '1', count: 1 } },
      messages: [{ role: 'user', content: 'My own text' }],
    });
    await bench.importText(said1, 'a.json');
    expect(bench.jsonOf(conversationId)).toMatchObject({ title: 'My own text', messageCount: 1 });
    expect(bench.folders()).toHaveLength(2);
  });
});

it('a conversation of an own export that looks encrypted is reported, and the others are imported', async () => {
  const bench = await openImportBench();
  const conversations = [1, 2, 3].map((n) => ({
    conversationId: `20250124-173773080012${n}`,
    formatVersion: 1,
    messageCount: 1,
    messages: [{ role: 'user', content: `text ${n}` }],
    ...(n === 1 && { sealed: `sealed:1:0123456789abcdef:${'A'.repeat(60)}` }),
  }));
  const text = { format: 'daybook-export', version: 1, conversations };
  expect(await bench.importText(text, 'a.json')).toMatchObject({
    added: 2,
    skipped: 1,
    problems: [{ code: 'DECRYPT' }],
  });
});
