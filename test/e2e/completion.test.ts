/** Shell completion: the scripts are valid in their shells, and bash completes with them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN, runCommand, withPlace } from './harness.js';

describe('completion', () => {
  it.each([
    [['li'], ['list']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['kg', 'sub'], ['subjects']],
    [['kg', 'add', '--repl'], ['--replaces']],
    [['search', 'x', '--role', 'as'], ['assistant']],
    [['init', '--client', 'z'], ['zed']],
    [['nothing', 'there', '--wr'], []],
  ])('of %j', async (words, expected) => {
    await withPlace(async (place) => {
      const { code, stdout } = await runCommand(place, ['complete', '--', ...words]);
      expect(code).toBe(0);
      const found = stdout.split('\n').flatMap((line) => (line === '' ? [] : line.split('\t')[0]));
      expect(found).toEqual(expected);
    });
  });

  it('of a conversation in bash: a title with blanks is one word', async () => {
    await withPlace(async (place) => {
      await runCommand(place, ['save', 'user', 'x', '--conversation-id', 'plan', '--title', 'A b']);
      const bin = join(place.folder, 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'run'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
        mode: 0o755,
      });
      symlinkSync(join(bin, 'run'), join(bin, 'daybook'));
      const script = `
        source <(daybook completion bash)
        COMP_WORDS=(daybook show A); COMP_CWORD=2; _daybook
        printf '%s\\n' "\${COMPREPLY[@]}"
        COMP_WORDS=(daybook show pl); _daybook
        printf '%s\\n' "\${COMPREPLY[@]}"`;
      const env = { ...place.env, PATH: `${bin}:${place.env['PATH']}` };
      const { stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
      expect([stdout, stderr]).toEqual(['A\\ b\nplan\n', '']);
    });
  });

  it('knows no other shell', async () => {
    await withPlace(async (place) => {
      expect((await runCommand(place, ['completion', 'cmd'])).code).toBe(2);
    });
  });
});

describe('an error with --json', () => {
  it.each([
    [['show', 'lost', '--json'], 1, 'CONVERSATION_NOT_FOUND'],
    [['list', '--limit', 'x', '--json'], 2, 'VALIDATION_ERROR'],
    [['list', '--nope', '--json'], 2, 'VALIDATION_ERROR'],
    [['mb', 'read', 'lost.md', '--json'], 1, 'E_MB_FILE_NOT_FOUND'],
    [['--root', 'typo', 'info', '--json'], 2, 'VALIDATION_ERROR'],
  ])('%j is JSON', async (args, code, error) => {
    await withPlace(async (place) => {
      const run = await runCommand(place, args);
      expect(run.code).toBe(code);
      expect(JSON.parse(run.stdout)).toMatchObject({ success: false, error: { code: error } });
    });
  });
});
