/** The export of Claude.ai: old lists and new trees, projects, artifacts, attachments. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { zipOf } from '../support/zip.js';
import { counts, fileWith, folderWith, openImportBench, said } from './bench.js';

const ROOT = '00000000-0000-4000-8000-000000000000';
const id = (n: number) => `22222222-bbbb-4bbb-8bbb-00000000000${n}`;
const text = (words: string) => ({ type: 'text', text: words });
const message = (n: number, sender: string, content: unknown[], more: object = {}) => ({
  uuid: id(n),
  sender,
  text: '',
  content,
  attachments: [],
  files: [],
  created_at: `2025-03-01T10:00:0${n}.123456Z`,
  ...more,
});

const TREE = {
  uuid: '22222222-bbbb-4bbb-8bbb-0000000000aa',
  name: '',
  created_at: '2025-03-01T10:00:00.000000Z',
  updated_at: '2025-03-01T11:00:00+00:00',
  project_uuid: 'p1',
  model: 'claude-x',
  current_leaf_message_uuid: id(4),
  chat_messages: [
    message(1, 'human', [text('What is in the plan?')], {
      parent_message_uuid: ROOT,
      attachments: [{ file_name: 'plan.txt', extracted_content: 'larch planks, twelve' }],
      files: [{ file_name: 'plan.txt' }, { file_name: 'photo.png' }],
    }),
    message(2, 'assistant', [text('An answer nobody kept')], { parent_message_uuid: id(1) }),
    message(
      3,
      'assistant',
      [
        null,
        { type: 'thinking', thinking: 'They want a list.' },
        { type: 'tool_use', name: 'web_search', input: { query: 'larch' } },
        { type: 'tool_result', name: 'web_search', content: [text('a page')], is_error: false },
        {
          type: 'tool_use',
          name: 'artifacts',
          input: { command: 'create', title: 'List', type: 'text/markdown', content: '- planks' },
        },
        { type: 'tool_result', name: 'artifacts', content: [text('OK')] },
        text('Here it is.'),
      ],
      { parent_message_uuid: id(1) },
    ),
    message(4, 'human', [], { parent_message_uuid: id(3), text: 'Thanks' }),
  ],
};

const LIST = {
  uuid: '22222222-bbbb-4bbb-8bbb-0000000000bb',
  name: 'Old',
  created_at: '2024-01-01T00:00:00Z',
  chat_messages: [
    message(6, 'assistant', [], { index: 1, text: 'second' }),
    message(5, 'human', [], { index: 0, text: 'first' }),
  ],
};

describe('a Claude.ai export', () => {
  it('has the pages that an answer cites in its metadata, and the text unchanged', async () => {
    const page = { type: 'knowledge', title: 'Vitest docs', url: 'https://vitest.dev/config/' };
    const cite = (more: object) => ({ uuid: 'x', start_index: 0, end_index: 25, ...more });
    const details = { type: 'web_search_citation', url: page.url };
    const answer = [
      { type: 'tool_use', name: 'web_search', input: { query: 'jsdom' } },
      {
        type: 'tool_result',
        name: 'web_search',
        content: [page, { ...page, url: 'https://b.example' }],
      },
      { ...text('The docs say it.'), citations: [cite({ details }), cite({ details })] },
      {
        ...text('So does A.'),
        citations: [null, cite({ url: 'https://a.example', title: 'A' }), cite({ details: 7 })],
      },
    ];
    const messages = [message(1, 'human', [text('Where?')]), message(2, 'assistant', answer)];
    const bench = await openImportBench();
    await bench.import(
      folderWith({ 'conversations.json': [{ ...LIST, chat_messages: messages }] }),
    );
    const made = bench.bySource(LIST.uuid);
    expect(said(made)).toEqual(['user: Where?', 'assistant: The docs say it.\n\nSo does A.']);
    expect(made.messages[1].metadata.sources).toEqual([
      { title: 'Vitest docs', url: page.url },
      { title: 'A', url: 'https://a.example' },
    ]);
    expect(made.messages[0].metadata).toBeUndefined();
  });

  it('has a file that Claude wrote for the user as an artifact', async () => {
    const create = (n: number, path: string, file_text: string) => [
      {
        type: 'tool_use',
        id: `t${n}`,
        name: 'create_file',
        input: { description: 'a plan', path, file_text },
      },
      { type: 'tool_result', tool_use_id: `t${n}`, name: 'create_file', content: [text('made')] },
    ];
    const answer = [
      ...create(1, '/mnt/user-data/outputs/plan.md', '- larch planks'),
      ...create(2, '/mnt/user-data/outputs/shed.py', 'print("shed")'),
      ...create(3, '/home/claude/draft.txt', 'draft'),
      text('Here they are.'),
    ];
    const messages = [message(1, 'human', [text('Plan it')]), message(2, 'assistant', answer)];
    const bench = await openImportBench();
    await bench.importText([{ ...LIST, chat_messages: messages }], 'conversations.json');
    const made = bench.bySource(LIST.uuid);
    expect(said(made)[1]).toBe(
      'assistant: [artifact: plan.md]\n\n- larch planks\n\n[artifact: shed.py]\n\n```py\nprint("shed")\n```\n\nHere they are.',
    );
    expect(made.messages[1].metadata.tools).toMatchObject([
      { input: '{"path":"/mnt/user-data/outputs/plan.md"}', result: 'made' },
      { input: '{"path":"/mnt/user-data/outputs/shed.py"}', result: 'made' },
      { input: expect.stringContaining('draft'), result: 'made' },
    ]);
  });

  it('has the shown path of a tree, and the other answer as a branch', async () => {
    const bench = await openImportBench();
    const report = await bench.importText([TREE, LIST, { uuid: 'x' }], 'conversations.json');
    expect(report.sources).toMatchObject([{ kind: 'claude' }]);
    expect(counts(report)).toEqual({ added: 3, updated: 0, unchanged: 0, skipped: 1 });
    const tree = bench.bySource(TREE.uuid);
    expect(said(tree)).toEqual([
      'user: What is in the plan?\n\n[file: plan.txt]\n\nlarch planks, twelve\n\n[file: photo.png]',
      'assistant: [artifact: List]\n\n- planks\n\nHere it is.',
      'user: Thanks',
    ]);
    expect(tree).toMatchObject({ title: 'What is in the plan?', module: 'p1' });
    expect(tree.updatedAt).toBe('2025-03-01T11:00:00.000Z');
    expect(tree.messages[1].metadata).toEqual({
      tools: [{ name: 'web_search', input: '{"query":"larch"}', result: 'a page' }],
      thinking: 'They want a list.',
    });
    const branch = bench.bySource(`${TREE.uuid}:${id(2)}`);
    expect(said(branch)).toEqual(['assistant: An answer nobody kept']);
    expect(branch.branchOf.messageId).toBe(id(1));
  });

  it('of the old form has its messages in order', async () => {
    const bench = await openImportBench();
    await bench.importText([LIST], 'conversations.json');
    expect(said(bench.bySource(LIST.uuid))).toEqual(['user: first', 'assistant: second']);
  });

  it('has the documents of projects as notes, and the name of the project', async () => {
    const bench = await openImportBench();
    const project = {
      uuid: 'p1',
      name: 'Garden / shed',
      prompt_template: 'Be brief.',
      docs: [
        { uuid: 'd1d1d1d1d1', filename: 'plan.md', content: '# Plan' },
        { uuid: 'd2d2d2d2d2', filename: 'plan.md', content: `${'ö'.repeat(40)}\n`.repeat(1000) },
      ],
    };
    const path = fileWith(
      zipOf([
        { name: 'conversations.json', content: JSON.stringify([TREE]) },
        { name: 'projects/p1.json', content: JSON.stringify(project) },
        {
          name: 'memories.json',
          content: JSON.stringify([{ conversations_memory: 'Likes larch.' }]),
        },
        { name: 'users.json', content: '[]' },
      ]),
      'claude.zip',
    );
    const report = await bench.import(path);
    expect(report.problems).toEqual([]);
    expect(bench.bySource(TREE.uuid).module).toBe('Garden / shed');
    await bench.memoryBank.refresh();
    expect(bench.memoryBank.known().map((note) => note.path)).toEqual([
      'imported/claude/Garden - shed/instructions.md',
      'imported/claude/Garden - shed/plan d2d2d2d2-2.md',
      'imported/claude/Garden - shed/plan d2d2d2d2-3.md',
      'imported/claude/Garden - shed/plan d2d2d2d2.md',
      'imported/claude/Garden - shed/plan.md',
      'imported/claude/memory.md',
    ]);
    const before = bench.hash();
    expect(counts(await bench.import(path))).toMatchObject({ added: 0, unchanged: 2 });
    expect(bench.hash()).toBe(before);
  });

  it('has its projects and memories in archives of their own', async () => {
    const bench = await openImportBench();
    const archive = (name: string, value: object) =>
      zipOf([{ name, content: JSON.stringify(value) }]);
    const project = {
      uuid: 'p1',
      name: 'Shed',
      prompt_template: 'Be brief.',
      docs: [{ uuid: 'd1', filename: 'plan.md', content: '# Plan' }],
    };
    const memory = {
      account_uuid: 'u1',
      conversations_memory: 'Likes larch.',
      memory_files: [{ path: '/areas/garden.md', content: 'South wall.' }],
    };
    const path = folderWith({
      'manifest-1.json': { files: [] },
      'conversations-000.zip': archive('conversations.json', [TREE]),
      'projects-000.zip': archive('projects/p1.json', project),
      'memories-000.zip': archive('memories/u1.json', memory),
    });
    const report = await bench.import(path);
    expect(report).toMatchObject({ added: 2, notes: 4, problems: [] });
    await bench.memoryBank.refresh();
    expect(bench.memoryBank.known().map((note) => note.path)).toEqual([
      'imported/claude/Shed/instructions.md',
      'imported/claude/Shed/plan.md',
      'imported/claude/memory.md',
      'imported/claude/memory/areas/garden.md',
    ]);
    const before = bench.hash();
    for (const name of ['projects-000.zip', 'memories-000.zip']) {
      expect(await bench.import(join(path, name))).toMatchObject({ notes: 0, problems: [] });
    }
    expect(bench.hash()).toBe(before);
    const notes = bench.memoryBank.known();
    const later = await bench.import(fileWith(memory, 'memories.json'));
    expect(later).toMatchObject({ notes: 0, notesUpdated: 0, problems: [] });
    await bench.memoryBank.refresh();
    // Only the time at which the source had these texts is another one now.
    expect(bench.memoryBank.known()).toEqual(notes);
  });

  it('has separate notes for projects and for files with the same name', async () => {
    const bench = await openImportBench();
    const project = (uuid: string, created_at: string, text: string) => ({
      uuid,
      created_at,
      name: 'Test',
      prompt_template: text,
      docs: ['n.md', 'N.md', 'n/.md'].map((filename, at) => ({
        uuid: `${at}-doc-${uuid}`,
        filename,
        content: `${text} ${at}`,
      })),
    });
    const [old, young] = [
      project('p1p1p1p1-1', '2025-01-01T00:00:00Z', 'old'),
      project('p0p0p0p0-0', '2025-02-01T00:00:00Z', 'young'),
    ];
    const folder = folderWith({ 'conversations.json': [TREE], 'projects.json': [old] });
    await bench.import(folder);
    writeFileSync(join(folder, 'projects.json'), JSON.stringify([young, old]));
    const report = await bench.import(folder);
    expect(report).toMatchObject({ notes: 4, notesUpdated: 0, problems: [] });
    const texts = async (name: string) => {
      const paths = ['instructions', 'n', `N 1-doc-${name.slice(0, 2)}`, 'n 2'];
      const base = `imported/claude/Test${name === 'p1' ? '' : ' p0p0p0p0'}`;
      return Promise.all(
        paths.map(async (path) =>
          (await bench.memoryBank.read(`${base}/${path}.md`)).content.trim(),
        ),
      );
    };
    expect(await texts('p1')).toEqual(['old', 'old 0', 'old 1', 'old 2']);
    expect(await texts('p0')).toEqual(['young', 'young 0', 'young 1', 'young 2']);
    const before = bench.hash();
    expect(await bench.import(folder)).toMatchObject({ notes: 0, notesUpdated: 0, problems: [] });
    expect(bench.hash()).toBe(before);
  });

  it('does not replace a note that was edited here, and reports it if its document changed', async () => {
    const bench = await openImportBench();
    const project = { uuid: 'p1', name: 'P', docs: [{ filename: 'a', content: 'one' }] };
    const folder = folderWith({ 'conversations.json': [TREE], 'projects.json': [project] });
    await bench.import(folder);
    await bench.memoryBank.edit('imported/claude/P/a.md', undefined, () => 'mine');
    expect((await bench.import(folder)).problems).toEqual([]);
    const newer = { ...project, docs: [{ filename: 'a', content: 'two' }] };
    writeFileSync(join(folder, 'projects.json'), JSON.stringify([newer]));
    const report = await bench.import(folder);
    expect(report.problems).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
    expect((await bench.memoryBank.read('imported/claude/P/a.md')).content).toBe('mine');
  });
});

it('two messages with the same long id in a branch have the same ids at each import', async () => {
  const bench = await openImportBench();
  const message = (uuid: string, parent_message_uuid: string | null, text: string) => ({
    uuid: `message-0000-0000-${uuid}`,
    parent_message_uuid: parent_message_uuid && `message-0000-0000-${parent_message_uuid}`,
    sender: 'assistant',
    text,
  });
  const messages = [
    message('q', null, 'one'),
    message('a', 'q', 'two'),
    message('x', 'q', 'three'),
  ];
  const made = [
    {
      uuid: 'c',
      current_leaf_message_uuid: 'message-0000-0000-a',
      chat_messages: [...messages, message('x', 'x', 'four')],
    },
  ];
  const path = fileWith(made, 'conversations.json');
  expect(counts(await bench.import(path))).toMatchObject({ added: 2 });
  const before = bench.hash();
  expect(counts(await bench.import(path))).toMatchObject({ added: 0, updated: 0, unchanged: 2 });
  expect(bench.hash()).toBe(before);
});
