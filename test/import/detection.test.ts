/** How often a file is read while all sources try to detect its format. */
import { expect, it } from 'vitest';
import { openInput } from '../../src/files/input/input.js';
import type { Input } from '../../src/files/input/input-types.js';
import { detectedSource } from '../../src/import/detect-source.js';
import { zipOf } from '../support/zip.js';
import { fileWith, lines } from './bench.js';

const UNKNOWN = { items: [{ body: 'a'.repeat(1000) }, { body: 'b' }], version: 1 };

/** The kind that is detected, and how often the only file was opened for that. */
async function detecting({ files, ...input }: Input) {
  let opened = 0;
  const counted = files.map((file) => {
    const bytes = () => {
      opened += 1;
      return file.bytes();
    };
    return { ...file, bytes };
  });
  const source = await detectedSource({ ...input, form: 'file', files: counted });
  await input.close();
  return { kind: source?.kind, opened };
}

it.each([
  ['a document', JSON.stringify(UNKNOWN)],
  ['a list', JSON.stringify([UNKNOWN, UNKNOWN])],
  ['JSON Lines', lines(UNKNOWN, UNKNOWN)],
  ['text', 'Only a few words.'],
])('the detection reads %s of an unknown format at most twice for all sources', async (_what, content) => {
  for (const bytes of [content, zipOf([{ name: 'export.json', content }])]) {
    const { kind, opened } = await detecting(await openInput(fileWith(bytes)));
    expect(kind).toBeUndefined();
    expect(opened).toBeLessThanOrEqual(2);
  }
});

it('the detection finds a format that is tried after many others', async () => {
  const memory = lines({ id: '1', memory: 'likes tea', user_id: 'ada' });
  const found = await detecting(await openInput(fileWith(memory, 'export.jsonl')));
  expect(found.kind).toBe('mem0');
  expect(found.opened).toBeLessThanOrEqual(2);
});
