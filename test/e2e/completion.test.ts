/** Shell completion in the real shells bash, zsh (on a terminal) and fish. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/terminal.js';
import { MAIN, type Place, runCommand, withPlace } from './harness.js';

/** The path of a program of the system that no npm package contains. */
const FISH = 'fish';

/** Makes a conversation "A b", and an environment in which `daybook` is the built command. */
async function withConversation(place: Place): Promise<Record<string, string>> {
  const title = ['--conversation-id', 'plan', '--title', 'A b'];
  await runCommand(place, ['save', 'user', 'SOUGHT', ...title]);
  const bin = join(place.folder, 'bin');
  mkdirSync(bin);
  const text = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  writeFileSync(join(bin, 'daybook'), text, { mode: 0o755 });
  return { ...place.env, PATH: `${bin}:${place.env['PATH']}` };
}

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
    [['help', 'ret'], ['retention']],
    [['help', 'kg', 'ne'], ['neighbors']],
    [['show', '--h'], ['--help']],
    [['--ro'], ['--root']],
    [['restore', '--ver'], ['--version']],
    [['search', 'x', '--role=user', '--mode', 'sem'], ['semantic']],
    [['stats', '--csv', '--per'], ['--period']],
    [
      ['import', '--from', 'mem'],
      ['mem0', 'memory-bank'],
    ],
    [['search', 'x', '--from', ''], []],
  ])('of %j', async (words, expected) => {
    await withPlace(async (place) => {
      const { code, stdout } = await runCommand(place, ['complete', '--', ...words]);
      expect(code).toBe(0);
      const found = stdout.split('\n').flatMap((line) => (line === '' ? [] : line.split('\t')[0]));
      expect(found).toEqual(expected);
    });
  });

  it('of a conversation uses the root on the command line', async () => {
    await withPlace(async (place) => {
      const root = join(place.folder, 'other');
      mkdirSync(root);
      await runCommand(place, ['--root', root, 'save', 'user', 'x', '--conversation-id', 'other']);
      for (const typed of [['--root', root], [`--root=${root}`]]) {
        const { stdout } = await runCommand(place, ['complete', '--', ...typed, 'show', 'ot']);
        expect(stdout).toBe('other\tx\n');
      }
    });
  });

  it('of a note offers the paths of all notes, except for a new note', async () => {
    await withPlace(async (place) => {
      await runCommand(place, ['mb', 'add', 'ideas/garden.md', 'x']);
      await runCommand(place, ['mb', 'add', 'plan.md', 'x']);
      const candidates = async (...words: string[]) =>
        (await runCommand(place, ['complete', '--', ...words])).stdout;
      expect(await candidates('mb', 'read', '')).toBe('ideas/garden.md\t\nplan.md\t\n');
      expect(await candidates('mb', 'edit', 'id')).toBe('ideas/garden.md\t\n');
      expect(await candidates('mb', 'add', '')).toBe('');
    });
  });

  it('of a conversation in bash gives a title with spaces as one word', async () => {
    await withPlace(async (place) => {
      const env = await withConversation(place);
      const script = `
        source <(daybook completion bash)
        COMP_WORDS=(daybook show A); COMP_CWORD=2; _daybook
        printf '%s\\n' "\${COMPREPLY[@]}"
        COMP_WORDS=(daybook show pl); _daybook
        printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
      expect([stdout, stderr]).toEqual(['A\\ b\nplan\n', '']);
    });
  });

  it('in zsh completes the title of a conversation with the Tab key, and Enter shows it', async () => {
    await withPlace(async (place) => {
      const env = await withConversation(place);
      const setup =
        "PROMPT=''; autoload -Uz compinit && compinit -u -d zcompdump; source <(daybook completion zsh); echo RE''ADY\n";
      const answers = [
        { after: 'START', type: setup },
        { after: 'READY', type: 'daybook show A\t\n' },
        { after: 'SOUGHT', type: 'exit\n' },
      ];
      const zsh = ['zsh', '-f', '-c', 'echo START; exec zsh -f -i'];
      const { screen } = await runProgram(place, zsh, { env, answers });
      expect(screen).toContain('SOUGHT');
    });
  });

  it('in fish completes commands, options and the title of a conversation', async () => {
    await withPlace(async (place) => {
      const env = await withConversation(place);
      const complete = ['daybook show A', 'daybook li', 'daybook kg add --repl'];
      const script = `daybook completion fish | source; ${complete
        .map((line) => `complete -C '${line}'`)
        .join('; ')}`;
      const { stdout, stderr } = spawnSync(FISH, ['--no-config', '-c', script], {
        env,
        encoding: 'utf8',
      });
      const words = stdout.split('\n').map((line) => line.split('\t')[0]);
      expect([words, stderr]).toEqual([['A b', 'list', '--replaces', ''], '']);
    });
  });

  it('refuses an unknown shell', async () => {
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
