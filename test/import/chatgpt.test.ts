/** What is imported of ChatGPT's export, from a folder, a zip or one file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { zipOf } from '../support/zip.js';
import { counts, FIXTURES, fileWith, folderWith, openImportBench, said } from './bench.js';

const FIXTURE = join(FIXTURES, 'chatgpt/conversations.json');
const SHED = '11111111-aaaa-4aaa-8aaa-000000000001';
const CIRCLE = '11111111-aaaa-4aaa-8aaa-000000000003';

describe('a ChatGPT export', () => {
  it('imports the shown messages, with times, title, project and model', async () => {
    const bench = await openImportBench();
    const report = await bench.import(FIXTURE);
    expect(report.sources).toMatchObject([{ kind: 'chatgpt' }]);
    expect(counts(report)).toEqual({ added: 3, updated: 0, unchanged: 0, skipped: 1 });
    expect(report.problems).toMatchObject([{ record: '[1]', code: 'CORRUPT' }]);
    const shed = bench.bySource(SHED);
    expect(shed).toMatchObject({
      conversationId: '20250124-1737724800123',
      createdAt: '2025-01-24T13:20:00.123Z',
      updatedAt: '2025-01-24T13:30:00.500Z',
      title: 'Garden shed',
      module: 'g-p-garden',
      pinned: true,
      tags: ['chatgpt', 'archived'],
      metadata: { model: 'gpt-5', source: { kind: 'chatgpt', id: SHED, count: 4 } },
    });
    expect(said(shed)).toEqual([
      'user: [image: file-Shed1]\n\nHow big is this shed?\n\n[file: plan.pdf]',
      'assistant: Six square metres.',
      'user: Write a list of what I need.',
      'assistant: [canvas: List]\n\nTwelve planks of larch',
    ]);
    expect(shed.messages[0]).toMatchObject({
      id: 'u1u1u1u1-0000-4000-8000-000000000001',
      createdAt: '2025-01-24T13:20:01.000Z',
    });
  });

  it('keeps tool calls and thinking in the metadata, and leaves out hidden nodes', async () => {
    const bench = await openImportBench();
    const report = await bench.import(FIXTURE, { activity: 'all' });
    expect(bench.bySource(SHED).messages[1].metadata).toEqual({
      model: 'gpt-5-thinking',
      tools: [{ name: 'python', input: 'print(2 * 3)', result: '6' }],
      thinking: 'The door is two metres.',
    });
    expect(report.leftOut).toEqual({ hidden: 1, 'injected context': 1 });
    expect(JSON.stringify(bench.bySource(SHED))).not.toContain('secret profile');
  });

  it('makes a branch of an answer that was not shown, linked to the message before it', async () => {
    const bench = await openImportBench();
    await bench.import(FIXTURE);
    const branch = bench.bySource(`${SHED}:a1a1a1a1-0000-4000-8000-000000000009`);
    expect(said(branch)).toEqual(['assistant: I cannot tell from a picture.']);
    expect(branch.createdAt).toBe('2025-01-24T13:21:40.000Z');
    expect(branch.branchOf).toEqual({
      conversationId: '20250124-1737724800123',
      messageId: 'u1u1u1u1-0000-4000-8000-000000000001',
    });
  });

  it.each([
    ['parents', { parent: undefined }],
    ['children', { children: undefined }],
    ['a current node', { current: undefined }],
  ])('reads a conversation without links to %s', async (_what, left) => {
    const bench = await openImportBench();
    const links = { parent: 'u', children: ['a'], current: 'a', ...left };
    const message = (role: string, text: string) => ({
      author: { role },
      content: { content_type: 'text', parts: [text] },
    });
    const mapping = {
      root: { id: 'root', parent: null, children: links.children && ['u'], message: null },
      u: {
        id: 'u',
        parent: links.parent && 'root',
        children: links.children,
        message: message('user', 'Where?'),
      },
      a: { id: 'a', parent: links.parent, message: message('assistant', 'There.') },
    };
    await bench.importText([{ id: 'links', title: 'L', mapping, current_node: links.current }]);
    expect(bench.folders()).toHaveLength(1);
    expect(said(bench.bySource('links'))).toEqual(['user: Where?', 'assistant: There.']);
  });

  it('shows the words and links for the marks of citations', async () => {
    const bench = await openImportBench();
    const [source, name, page, lost] = [
      'cite\ue202a',
      'entity["x"]',
      'cite\ue202b',
      'cite\ue202c',
    ].map((mark) => `\ue200${mark}\ue201`);
    const text = `Larch ${source}, sold by ${name}${page}${lost}.`;
    const url = 'https://larch.example';
    const content_references = [
      { matched_text: source, alt: `([Larch](${url}))`, items: [{ url }] },
      { matched_text: name, alt: 'Larch Timber Ltd' },
      { matched_text: page, alt: null, items: [{ title: 'Planks', url }, { title: 'no link' }] },
      { matched_text: ' ', alt: '', items: [{ url }] },
    ];
    const message = {
      author: { role: 'assistant' },
      content: { content_type: 'text', parts: [text] },
      metadata: { content_references },
    };
    const mapping = { a: { id: 'a', parent: null, message } };
    await bench.importText([{ id: 'cited', title: 'C', mapping, current_node: 'a' }]);
    const shown = `Larch ([Larch](${url})), sold by Larch Timber Ltd([Planks](${url})).`;
    expect(said(bench.bySource('cited'))).toEqual([`assistant: ${shown}`]);
  });

  it('shows the words in marks for which the export has no reference', async () => {
    const bench = await openImportBench();
    const marks = [
      'entity\ue202["company","Larch Ltd","a mill"]',
      'url\ue202Planks\ue202https://larch.example',
      'url\ue202a page\ue202turn0search1',
      'entity\ue202{broken',
      'image_group\ue202{"query":["larch"]}',
    ];
    const text = marks.map((mark) => `\ue200${mark}\ue201`).join('; ');
    const content = { content_type: 'text', parts: [text] };
    const message = { author: { role: 'assistant' }, content };
    const mapping = { a: { id: 'a', parent: null, message } };
    await bench.importText([{ id: 'marked', title: 'C', mapping, current_node: 'a' }]);
    const shown = 'Larch Ltd; [Planks](https://larch.example); a page; ; ';
    expect(said(bench.bySource('marked'))).toEqual([`assistant: ${shown}`]);
  });

  it.each([
    ['an object', (state: object) => state],
    ['a text', (state: object) => JSON.stringify(state)],
  ])('imports the report of a deep research, whose window is %s', async (_form, given) => {
    const bench = await openImportBench();
    const cite = '\ue200cite\ue202turn1\ue201';
    const report_message = {
      content: { content_type: 'text', parts: [`# Larch\n\nIt lasts${cite}.`] },
      metadata: {
        content_references: [{ matched_text: cite, alt: ' ([mill](https://m.example))' }],
      },
    };
    const node = (id: string, parent: string | null, message: object) => ({ id, parent, message });
    const of = (role: string, text: string) => ({
      author: { role },
      content: { content_type: 'text', parts: [text] },
    });
    const sdk = (state: object) => ({
      is_visually_hidden_from_conversation: true,
      chatgpt_sdk: { widget_state: given(state) },
    });
    const mapping = {
      a: node('a', null, of('user', 'Does larch last?')),
      b: node('b', 'a', { ...of('tool', 'started'), metadata: sdk({ status: 'running' }) }),
      c: node('c', 'b', {
        ...of('tool', 'state'),
        id: 'c',
        create_time: 1_767_348_000,
        metadata: sdk({ status: 'completed', report_message }),
      }),
    };
    const report = await bench.importText([{ id: 'deep', title: 'D', mapping, current_node: 'c' }]);
    expect(report.leftOut).toEqual({ hidden: 1 });
    const made = bench.bySource('deep');
    expect(said(made)).toEqual([
      'user: Does larch last?',
      'assistant: # Larch\n\nIt lasts ([mill](https://m.example)).',
    ]);
    expect(made.messages[1].createdAt).toBe('2026-01-02T10:00:00.000Z');
  });

  it('counts unknown parts, and keeps the others', async () => {
    const bench = await openImportBench();
    const node = (id: string, parent: string | null, role: string, content: object) => ({
      id,
      parent,
      message: { author: { role, name: 'search' }, content },
    });
    const parts = ['What is this?', { content_type: 'hologram', data: 'x' }, { text: '' }, null];
    const nodes = [
      node('a', null, 'user', { content_type: 'multimodal_text', parts }),
      node('b', 'a', 'tool', { content_type: 'multimodal_text', parts: ['Found it.'] }),
      node('c', 'b', 'assistant', { content_type: 'hologram', data: 'x' }),
      node('d', 'c', 'assistant', { content_type: 'text', parts: ['A shed.', ''] }),
    ];
    const mapping = Object.fromEntries(nodes.map((each) => [each.id, each]));
    const report = await bench.importText([{ id: 'odd', mapping, current_node: 'd' }]);
    expect(report.leftOut).toEqual({ 'parts of an unknown type': 2 });
    const made = bench.bySource('odd');
    expect(said(made)).toEqual(['user: What is this?', 'assistant: A shed.']);
    expect(made.messages[1].metadata.tools).toEqual([{ name: 'search', result: 'Found it.' }]);
  });

  it('handles a cycle of nodes, and uses the time of the file if there is none', async () => {
    const bench = await openImportBench();
    await bench.import(FIXTURE);
    const circle = bench.bySource(CIRCLE);
    expect(said(circle)).toEqual(['user: A circle of nodes', 'assistant: is survived']);
    expect(circle.metadata.source.times).toBe('file');
    expect(circle.title).toBe('A circle of nodes');
  });

  it('reads many files in a zip, and reports files by their path in it', async () => {
    const bench = await openImportBench();
    const [shed, broken, circle] = JSON.parse(readFileSync(FIXTURE, 'utf8'));
    const path = fileWith(
      zipOf([
        { name: 'conversations-000.json', content: JSON.stringify([shed, broken]) },
        { name: 'conversations-001.json', content: `\ufeff${JSON.stringify([circle])}` },
        { name: 'dalle/file-Shed1-photo.png', content: 'png' },
        { name: 'chat.html', content: '<html>' },
        {
          name: 'shared_conversations.json',
          content: JSON.stringify([{ id: 'x', conversation_id: SHED }]),
        },
      ]),
      'export.zip',
    );
    expect(counts(await bench.import(path))).toMatchObject({ added: 3, skipped: 1 });
    expect(bench.bySource(SHED).messages[0].content).toMatch(
      /^\[image: dalle\/file-Shed1-photo\.png\]/,
    );
    expect(bench.bySource(SHED).tags).toContain('shared');
  });

  it('imports every conversation before the place where a file is cut off', async () => {
    const bench = await openImportBench();
    const text = readFileSync(FIXTURE, 'utf8');
    const report = await bench.importText(text.slice(0, text.indexOf('"title": null')));
    expect(counts(report)).toMatchObject({ added: 2, skipped: 2 });
    expect(report.problems.map(({ code }) => code)).toEqual(['CORRUPT', 'CORRUPT']);
  });

  it('changes no byte when the same export is imported again, as a folder or as a zip', async () => {
    const bench = await openImportBench();
    const content = readFileSync(FIXTURE, 'utf8');
    await bench.import(folderWith({ 'conversations.json': content }));
    const before = bench.hash();
    bench.time.now += 1000;
    const again = await bench.import(
      fileWith(zipOf([{ name: 'conversations.json', content }]), 'e.zip'),
    );
    expect(counts(again)).toEqual({ added: 0, updated: 0, unchanged: 3, skipped: 1 });
    expect(bench.hash()).toBe(before);
  });
});
