/** The commands with which a person continues an imported session: for each program, and for nothing else. */
import { describe, expect, it } from 'vitest';
import { resumeOf } from '../../src/import/resume-command.js';
import { KINDS } from '../../src/import/source-list.js';
import { openImportBench } from './bench.js';
import { inputOf } from './samples.js';

const RESUMED: Readonly<Record<string, RegExp>> = {
  'claude-code': /^claude --resume s$/,
  codex: /^codex resume s$/,
  'gemini-cli': /^gemini --resume s$/,
  'copilot-cli': /^copilot --resume [\w-]+$/,
  opencode: /^opencode --session [\w-]+$/,
};

describe('the command that continues a session', () => {
  it.each(KINDS)('fits the sample of %s', async (kind) => {
    const bench = await openImportBench();
    await bench.import(inputOf(kind), { from: kind });
    const commands = bench.folders().flatMap((name) => resumeOf(bench.jsonOf(name))?.command ?? []);
    const wanted = RESUMED[kind];
    if (wanted === undefined) expect(commands).toEqual([]);
    else expect(commands).toContainEqual(expect.stringMatching(wanted));
  });

  const source = { kind: 'codex', id: '0b0c-1' };
  it('names the folder of the session', () => {
    expect(resumeOf({ metadata: { source, cwd: '/work/my shed' } })).toEqual({
      program: 'Codex',
      command: 'codex resume 0b0c-1',
      folder: '/work/my shed',
    });
    expect(resumeOf({ metadata: { source } })).not.toHaveProperty('folder');
  });

  it.each([
    ['no metadata', undefined],
    ['another source', { source: { kind: 'chatgpt', id: 'a' } }],
    ['a name that objects inherit', { source: { kind: 'constructor', id: 'a' } }],
    ['a branch', { source: { ...source, id: '0b0c:leaf' } }],
    ['a branch of both sides', { source: { ...source, id: '0b0c+' } }],
    ['prompts without a session', { source: { ...source, isRemnant: true } }],
    ['an id that is a command', { source: { ...source, id: 'a; rm -rf ~' } }],
    ['an id that is an option', { source: { ...source, id: '--yolo' } }],
    ['an id with a line break', { source: { ...source, id: 'a\nb' } }],
    ['an id that is no text', { source: { ...source, id: { toString: null } } }],
    ['a source that is a list', { source: [source] }],
  ])('is left out for %s', (_, metadata) => {
    expect(resumeOf({ metadata })).toBeUndefined();
  });

  it('is left out for a subagent', () => {
    expect(resumeOf({ metadata: { source }, tags: ['x', 'subagent'] })).toBeUndefined();
  });
});
