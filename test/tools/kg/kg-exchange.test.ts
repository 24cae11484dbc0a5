/** kg_export and kg_import as a client calls them, on the built server. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();
const call = (name: string, args?: Record<string, unknown>) => opened.session.call(name, args);
const codeOf = async (name: string, args: Record<string, unknown>) =>
  (await opened.session.failure(name, args)).code;
const LONG = 'l'.repeat(300);
const MEMORY = [
  { type: 'entity', name: 'Ada', entityType: 'person', observations: ['born 1815', LONG] },
  { type: 'relation', from: 'Ada', to: 'Charles', relationType: 'knows' },
]
  .map((line) => JSON.stringify(line))
  .join('\n');

describe('kg_import and kg_export', () => {
  it('import memory.jsonl and export it again, as text and as files of the exports folder', async () => {
    const first = await call('kg_import', { text: MEMORY });
    expect(first).toMatchObject({
      format: 'memory',
      facts: 3,
      added: 3,
      refusedTotal: 1,
      notesAdded: 0,
    });
    expect(first['refused']).toMatchObject([{ line: 1, code: 'E_KG_INVALID_TRIPLE' }]);
    const exports = join(opened.place.root, 'exports');
    mkdirSync(exports, { recursive: true });
    writeFileSync(join(exports, 'memory.jsonl'), MEMORY);
    const second = await call('kg/import', { file: 'memory.jsonl', longObservations: 'notes' });
    expect(second).toMatchObject({ facts: 4, added: 1, refusedTotal: 0, notesAdded: 1 });
    const [note] = second['notes'] as string[];
    expect(await call('mb_read', { path: note })).toMatchObject({ content: LONG });
    expect(await call('kg_export', { format: 'memory' })).toMatchObject({
      text: `${MEMORY}\n`,
      lines: 2,
    });

    const written = await call('kg/export', { file: 'kg/all.jsonl' });
    expect(written).toMatchObject({
      lines: 4,
      hasMore: false,
      path: join(exports, 'kg/all.jsonl'),
    });
    const text = readFileSync(String(written['path']), 'utf8');
    expect(await call('kg_export')).toMatchObject({ text, sizeBytes: Buffer.byteLength(text) });
    expect(await call('kg_import', { file: 'kg/all.jsonl' })).toMatchObject({
      format: 'jsonl',
      facts: 4,
      added: 0,
    });
    const picture = await call('kg_export', { format: 'mermaid', predicate: 'knows' });
    expect(picture['text']).toBe('graph LR\n  n1["Ada"] -->|"knows"| n2["Charles"]\n');
  });

  it('say why an export is empty', async () => {
    await call('kg_import', { text: MEMORY, longObservations: 'notes' });
    for (const more of [{}, { file: 'empty.jsonl' }]) {
      const { lines, note } = await call('kg_export', { subject: 'Nobody', ...more });
      expect(lines).toBe(0);
      expect(note).toContain('No fact has a subject "Nobody".');
    }
    expect(await call('kg_export', { subject: 'Ada' })).not.toHaveProperty('note');
  });

  it('name the notes whose long observations are not in an export', async () => {
    const { notes } = await call('kg_import', { text: MEMORY, longObservations: 'notes' });
    const [path] = notes as string[];
    expect(await call('kg_export', { format: 'memory' })).not.toHaveProperty('missingNotes');
    const { hash } = await call('mb_read', { path });
    await call('mb_edit', { path, hash, newPath: 'other/name.md' });
    const left = { missingNotes: [path], missingNotesTotal: 1, lines: 2 };
    expect(await call('kg_export', { format: 'memory' })).toMatchObject(left);
    expect(await call('kg_export', { format: 'memory', file: 'm.jsonl' })).toMatchObject(left);
    expect(await call('kg_export')).not.toHaveProperty('missingNotes');
  });

  it('report the progress of graph import and export', async () => {
    const line = (n: number) => JSON.stringify({ subject: `s${n}`, predicate: 'p', object: 'o' });
    const text = Array.from({ length: 4_000 }, (_, n) => line(n)).join('\n');
    const seen: number[] = [];
    const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) => {
      expect(total).toBe(100);
      seen.push(progress);
    };
    const params = { name: 'kg_import', arguments: { text } };
    await opened.session.client.callTool(params, undefined, { onprogress });
    // The client ignores reports after the answer, so the last ones may be missing. A slow machine gets more
    // reports before 62 percent, where the lines are read.
    expect(seen).toContain(62);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  });

  it('return a graph in pages if it is longer than an answer', async () => {
    const triples = Array.from({ length: 400 }, (_, n) => ({
      subject: `s${n}`,
      predicate: 'p',
      object: 'o',
    }));
    await call('kg_add', { triples });
    const subjects: string[] = [];
    for (let offset: unknown = 0; offset !== undefined; ) {
      const page = await call('kg_export', { offset, maxTokens: 2000 });
      const lines = String(page['text']).trimEnd().split('\n');
      expect(lines).toHaveLength(Number(page['lines']));
      subjects.push(...lines.map((line) => (JSON.parse(line) as { subject: string }).subject));
      offset = page['nextOffset'];
    }
    expect(new Set(subjects).size).toBe(400);
    expect(subjects).toHaveLength(400);
  });

  it('refuse invalid input', async () => {
    expect(await codeOf('kg_import', {})).toBe('VALIDATION_ERROR');
    expect(await codeOf('kg_import', { text: 'x', file: 'y' })).toBe('VALIDATION_ERROR');
    expect(await codeOf('kg_import', { file: '../config.json' })).toBe('PATH_ESCAPE');
    expect(await codeOf('kg_import', { file: 'absent.jsonl' })).toBe('VALIDATION_ERROR');
    expect(await codeOf('kg_export', { file: '../kg.jsonl' })).toBe('PATH_ESCAPE');
  });
});
