/** An export is imported again without a difference, from each format that can be imported. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExportFormat } from '../../src/exchange/export-formats.js';
import { openBench } from '../exchange/bench.js';
import { contentOf, put } from '../maintenance/roots.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';
import { counts, fileWith, openImportBench } from './bench.js';

/** Invented, and in parts, so that no scanner of this repository finds it. */
const KEY = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
const ID = '20250124-1737724800123';
const BRANCH = '20250125-1737811200000';
const CONTENTS = [
  'plain',
  '日本語の会話\n\n二行目 👩‍🌾',
  '## User · 2025-01-24 10:00\n\nno turn of mine\n\n## Assistant',
  '```md\n## User\n<!-- daybook:message {"role":"user"} -->\n```',
  '<!-- daybook:message {"role":"user","id":"forged"} -->\n## User\n\nforged',
  '\\<!-- daybook:message\n\\\\<!-- daybook:',
  'open\n  ~~~~js\n  code without an end',
  '---\ntitle: no frontmatter\n---\n',
  '\n\n  blank lines around  \n\n',
  '',
  'carriage\r\nreturns\r',
  'half of a pair \ud83d here',
  '\ufeffmark, \u0000 nothing, \u2028 line, --> end of a comment',
];
const WHOLE = {
  title: 'Garden "plan" [1]\n: a',
  module: 'garden',
  clientId: 'my-garden',
  pinned: true,
  tags: ['q2', '計画', 'a, b'],
  metadata: { source: { kind: 'chatgpt', id: 'x' }, note: 'a --> b \u2028', daybook: [1, null] },
  mood: 'calm',
  extra: { daybook: 2 },
  daybook: 'an unknown field',
  createdAt: '2025-01-24T13:20:00.123Z',
  updatedAt: '2025-02-01T00:00:00.000Z',
  messages: CONTENTS.map((content, index) => ({
    id: `m-${index}`,
    content,
    seq: 'mine',
    fence: 'mine',
    createdAt: '2025-01-24T13:20:01.000Z',
    role: ['system', 'user', 'assistant'][index % 3],
    ...(index > 0 && { parentMessageId: `m-${index - 1}` }),
    metadata: { tools: [{ name: 'Bash', input: 'ls -->' }], usage: { input: index } },
  })),
};

type Bench = Awaited<ReturnType<typeof openBench>>;
type Form = ExportFormat | 'markdown-files';
const FORMS: readonly Form[] = ['json', 'jsonl', 'openai', 'markdown-files'];

/** The export as a file or folder, and its whole content. */
async function exportOf(bench: Bench, form: Form): Promise<{ path: string; content: object }> {
  if (form !== 'markdown-files') {
    const text = await bench.exported(form);
    return { path: fileWith(text, 'export.txt'), content: { text } };
  }
  const path = join(tempFolder(), 'conversations');
  await bench.exporter.toFolder(path, bench.requestOf('markdown'));
  return { path, content: contentOf(path) };
}

async function filled(): Promise<Bench> {
  const bench = await openBench();
  bench.put(ID, WHOLE);
  bench.put(BRANCH, {
    title: 'Other beds',
    branchOf: { conversationId: ID, messageId: 'm-1' },
    messages: [{ id: 'b', role: 'user', content: 'Or potatoes?' }],
  });
  bench.put('20250126-1737900000000', { messages: [] });
  bench.put('20250127-1737990000000', { messages: [{ role: 'user', content: 'by hand' }] });
  return bench;
}

async function cameBack(path: string) {
  const imported = await openImportBench();
  const report = await imported.import(path);
  return { imported, report, bench: await openBench({ logsFolder: imported.logsFolder }) };
}

describe.each(FORMS)('an export as %s', (form) => {
  it('is imported into an empty store and exported again without a difference', async () => {
    const first = await filled();
    const { path, content } = await exportOf(first, form);
    const { report, bench } = await cameBack(path);
    expect([counts(report), report.problems]).toEqual([
      { added: 4, updated: 0, unchanged: 0, skipped: 0 },
      [],
    ]);
    expect((await exportOf(bench, form)).content).toEqual(
      form === 'json' ? { text: expect.any(String) } : content,
    );
    for (const id of first.folders()) {
      expect((await bench.documents.read(id))?.text).toBe((await first.documents.read(id))?.text);
    }
  });

  it('changes nothing at the second import, and a newer one adds only new messages', async () => {
    const first = await filled();
    const { path } = await exportOf(first, form);
    const { imported } = await cameBack(path);
    const before = imported.hash();
    expect(counts(await imported.import(path))).toMatchObject({ added: 0, unchanged: 4 });
    expect(imported.hash()).toBe(before);
    await first.store.append(BRANCH, [{ role: 'assistant', content: 'Potatoes.' }]);
    const newer = await exportOf(first, form);
    expect(counts(await imported.import(newer.path))).toMatchObject({ updated: 1, unchanged: 3 });
    expect(imported.jsonOf(BRANCH).messages).toEqual(first.jsonOf(BRANCH).messages);
    expect(counts(await imported.import(path))).toMatchObject({ updated: 0, unchanged: 4 });
  });

  it('does not change what was edited or deleted here', async () => {
    const { path } = await exportOf(await filled(), form);
    const { imported } = await cameBack(path);
    const edited = imported.jsonOf(BRANCH);
    edited.messages[0].content = 'Or beans?';
    imported.put(BRANCH, edited);
    await imported.store.trash(ID);
    const before = imported.hash();
    const report = await imported.import(path);
    expect(counts(report)).toEqual({ added: 0, updated: 0, unchanged: 2, skipped: 2 });
    expect(report.problems.map(({ code }) => code)).toEqual(['ALREADY_EXISTS']);
    expect(imported.hash()).toBe(before);
  });
});

describe.each(FORMS)('a key in an export as %s', (form) => {
  it('is masked and counted once, and the stored text with the key is not changed', async () => {
    const first = await openBench();
    first.put(ID, { messages: [{ id: 'm', role: 'user', content: `use ${KEY}, please` }] });
    const { path } = await exportOf(first, form);
    const { imported, report, bench } = await cameBack(path);
    expect([counts(report).added, report.masked]).toEqual([1, 1]);
    const masked = 'use [masked GITHUB_TOKEN], please';
    expect(imported.jsonOf(ID).messages[0].content).toBe(masked);
    const before = imported.hash();
    expect(await imported.import(path)).toMatchObject({ unchanged: 1, masked: 0, problems: [] });
    const again = await exportOf(bench, form);
    expect(await imported.import(again.path)).toMatchObject({ unchanged: 1, masked: 0 });
    expect(imported.hash()).toBe(before);
    const other = await cameBack(again.path);
    expect(other.report).toMatchObject({ added: 1, masked: 0 });
    expect(other.imported.textOf(ID)).toBe(imported.textOf(ID));
    const same = await openImportBench({ logsFolder: first.logsFolder });
    expect(await same.import(path)).toMatchObject({ unchanged: 1, masked: 0, problems: [] });
    expect(same.jsonOf(ID).messages[0].content).toContain(KEY);
  });
});

describe('summaries', () => {
  const summary = (text: string) => ({
    text,
    provider: 'extractive',
    messageCount: 1,
    sourceHash: 'a'.repeat(64),
    qualityScore: 0.5,
    generatedAt: '2025-02-01T00:00:00.000Z',
  });
  const fileOf = ({ logsFolder }: { logsFolder: string }) =>
    join(logsFolder, BRANCH, 'summaries.json');

  it.each(FORMS)('are imported from %s, also if the conversation exists here', async (form) => {
    const first = await filled();
    const bare = await exportOf(first, form);
    await first.summaries.put(BRANCH, 'brief', summary('Potatoes?'));
    await first.summaries.put(BRANCH, 'standard', summary('What to grow.'));
    const { path } = await exportOf(first, form);
    const { imported, bench } = await cameBack(path);
    expect(readFileSync(fileOf(imported))).toEqual(readFileSync(fileOf(first)));
    expect((await exportOf(bench, 'jsonl')).content).toEqual(
      (await exportOf(first, 'jsonl')).content,
    );
    const before = imported.hash();
    expect(counts(await imported.import(path))).toMatchObject({ added: 0, unchanged: 4 });
    expect(imported.hash()).toBe(before);
    const later = await cameBack(bare.path);
    expect(existsSync(fileOf(later.imported))).toBe(false);
    await later.imported.import(path, { dryRun: true });
    expect(existsSync(fileOf(later.imported))).toBe(false);
    await later.imported.import(path);
    expect(readFileSync(fileOf(later.imported))).toEqual(readFileSync(fileOf(first)));
  });

  it('that exist here are never replaced; damaged ones are not changed and reported', async () => {
    const first = await filled();
    const { imported } = await cameBack((await exportOf(first, 'jsonl')).path);
    await imported.stores.summaries.put(BRANCH, 'brief', summary('Mine.'));
    await first.summaries.put(BRANCH, 'brief', summary('Theirs.'));
    await first.summaries.put(BRANCH, 'detailed', summary('More.'));
    const { path } = await exportOf(first, 'jsonl');
    await imported.import(path);
    expect(await imported.stores.summaries.get(BRANCH)).toMatchObject({
      brief: { text: 'Mine.' },
      detailed: { text: 'More.' },
    });
    writeFileSync(fileOf(imported), '{');
    const report = await imported.import(path);
    expect(counts(report)).toEqual({ added: 0, updated: 0, unchanged: 4, skipped: 0 });
    expect(report.problems.map(({ code }) => code)).toEqual(['CORRUPT']);
    expect(readFileSync(fileOf(imported), 'utf8')).toBe('{');
  });
});

describe('a folder of Markdown', () => {
  it('is readable: names, links between branches, unchanged text', async () => {
    const bench = await filled();
    const { path } = await exportOf(bench, 'markdown-files');
    const main = readFileSync(join(path, `${ID}.md`), 'utf8');
    expect(main).toContain('# Garden "plan" [1] : a\n\n*2025-01-24 · garden · #q2 #計画 #a, b · ');
    expect(main).toContain(`Branches:\n\n- [Other beds](${BRANCH}.md)\n`);
    expect(main).toContain('\n## User · 2025-01-24 13:20\n\n日本語の会話\n\n二行目 👩‍🌾\n');
    expect(main).toContain('code without an end\n  ~~~~\n');
    expect(main).not.toMatch(/^<!-- .*-->.*-->/m);
    const branch = readFileSync(join(path, `${BRANCH}.md`), 'utf8');
    expect(branch).toContain(`Branch of [Garden "plan" \\[1\\] : a](${ID}.md)`);
  });

  it('is imported with the changes of a person, and unreadable files are reported', async () => {
    const bench = await filled();
    const { path } = await exportOf(bench, 'markdown-files');
    const file = join(path, `${BRANCH}.md`);
    const text = readFileSync(file, 'utf8').replace('Or potatoes?', 'Or peas?');
    writeFileSync(
      file,
      text.replace('title: "Other beds"', 'title: Peas').replaceAll('\n', '\r\n'),
    );
    writeFileSync(join(path, `${ID}.md`), '---\ndaybook: 1\ntitle:\n  - a\n---\n');
    writeFileSync(join(path, 'notes.md'), '# Mine');
    const { imported, report } = await cameBack(path);
    expect(imported.jsonOf(BRANCH)).toMatchObject({
      title: 'Peas',
      messages: [{ content: 'Or peas?', id: 'b' }],
    });
    expect(report.problems.map(({ path: name }) => name)).toEqual([`${ID}.md`]);
  });

  it('is not written over existing files, and never in part', async () => {
    const bench = await filled();
    const { path } = await exportOf(bench, 'markdown-files');
    const before = readFileSync(join(path, `${ID}.md`));
    const request = bench.requestOf('markdown');
    expect((await errorOf(bench.exporter.toFolder(path, request))).code).toBe('ALREADY_EXISTS');
    expect(readFileSync(join(path, `${ID}.md`))).toEqual(before);
    const other = join(tempFolder(), 'other');
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('enough'));
    const stopped = bench.exporter.toFolder(other, { ...request, signal: stop.signal, onProgress });
    await expect(stopped).rejects.toThrow('enough');
    expect([existsSync(other), readdirSync(join(other, '..'))]).toEqual([false, []]);
  });

  it('has the attachments beside the file, and an import copies them back', async () => {
    const bench = await filled();
    const files = {
      'a b.png': 'cat',
      'files/old.md': '---\ndaybook: 1\n---\n',
      [`${BRANCH}/conversation.json`]: '{"messages":[]}',
      'export.zip': 'no archive',
      'lines.jsonl': '{"thread":{"id":"x"}}\n',
    };
    put(join(bench.logsFolder, ID, 'attachments'), files);
    const { path } = await exportOf(bench, 'markdown-files');
    expect(contentOf(join(path, ID, 'attachments'))).toEqual(files);
    const text = readFileSync(join(path, `${ID}.md`), 'utf8');
    expect(text).toContain(`(${ID}/attachments/a%20b.png)`);
    const { imported, report } = await cameBack(path);
    expect([counts(report).added, report.attachments, report.problems]).toEqual([4, 0, []]);
    for (let time = 1; time <= 2; time += 1) {
      const again = await imported.import(path, { attachments: true });
      expect([counts(again).unchanged, again.problems]).toEqual([4, []]);
      expect(again.attachments).toBe(time === 1 ? 5 : 0);
    }
    expect(contentOf(join(imported.logsFolder, ID, 'attachments'))).toEqual(files);
    expect(imported.textOf(ID)).toBe((await bench.documents.read(ID))?.text);
  });

  it('for sharing has only the attachments that the shared messages name', async () => {
    const bench = await openBench();
    const tools = [{ result: '[image: read.png]' }];
    bench.put(ID, {
      messages: [
        { role: 'system', content: '[file: rules.txt]' },
        { role: 'user', content: '[image: cat.png]', metadata: { tools } },
      ],
    });
    put(join(bench.logsFolder, ID, 'attachments'), {
      'cat.png': 'cat',
      'read.png': 'read',
      'rules.txt': 'rules',
    });
    const path = join(tempFolder(), 'shared');
    const request = bench.requestOf('markdown', { forSharing: true });
    expect((await bench.exporter.toFolder(path, request)).attachments).toBe(1);
    expect(contentOf(join(path, ID))).toEqual({ 'attachments/cat.png': 'cat' });
  });

  it('with one shared conversation names no other one', async () => {
    const bench = await filled();
    const path = join(tempFolder(), 'shared');
    await bench.exporter.toFolder(path, bench.requestOf('markdown', { forSharing: true }));
    expect(readFileSync(join(path, `${BRANCH}.md`), 'utf8')).not.toContain(ID);
    expect(readFileSync(join(path, `${ID}.md`), 'utf8')).not.toContain(BRANCH);
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(
    ...CONTENTS,
    '\n',
    '```',
    '<!-- daybook:',
    ' -->',
    '\\',
    '---',
    '# ',
  );
  const text = fc.oneof(
    fc.array(piece).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );
  it.each([
    'openai',
    'markdown-files',
  ] as const)('is the same after an export as %s', async (form) => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), text, async (all, title) => {
        const first = await openBench();
        first.put(ID, { title, messages: all.map((content) => ({ role: 'user', content })) });
        const { path } = await exportOf(first, form);
        const { bench } = await cameBack(path);
        expect((await bench.documents.read(ID))?.text).toBe((await first.documents.read(ID))?.text);
      }),
      { numRuns: 25 },
    );
  });
});
