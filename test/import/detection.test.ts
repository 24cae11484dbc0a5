/** How often a file is read while all sources try to detect its format. */
import { expect, it } from 'vitest';
import { openInput } from '../../src/files/input/input.js';
import type { Input } from '../../src/files/input/input-types.js';
import { detectedSource } from '../../src/import/detect-source.js';
import { zipOf } from '../support/zip.js';
import { fileWith, folderWith, lines } from './bench.js';
import { TEXT_SAMPLES } from './samples.js';

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

it.each([
  ['codex', 'codex/rollout-1-s.jsonl', (n: number) => `rollout-0-${n}.jsonl`],
  [
    'gemini-cli',
    'gemini-cli/shed/chats/session-1.jsonl',
    (n: number) => `chats/session-0${n}.jsonl`,
  ],
  [
    'vscode',
    'vscode/workspaceStorage/w/chatSessions/s.jsonl',
    (n: number) => `chatSessions/a${n}.jsonl`,
  ],
  ['copilot-cli', 'copilot-cli/s/events.jsonl', (n: number) => `a${n}/events.jsonl`],
  ['claude-code', 'claude-code/projects/p/s.jsonl', (n: number) => `projects/a/a${n}.jsonl`],
] as const)('logs of %s are found after empty and damaged ones', async (kind, sample, nameOf) => {
  const broken = Array.from(
    { length: 30 },
    (_, n) => [nameOf(n), n < 15 ? '' : '{ damaged'] as const,
  );
  const files = { ...Object.fromEntries(broken), [sample]: TEXT_SAMPLES[sample] ?? '' };
  const input = await openInput(folderWith(files));
  // The log that can be read is the last one.
  const isSound = ({ name }: { name: string }) => name === sample;
  const ordered = [...input.files.filter((file) => !isSound(file)), ...input.files.filter(isSound)];
  const source = await detectedSource({ ...input, files: ordered });
  await input.close();
  expect(source?.kind).toBe(kind);
});
