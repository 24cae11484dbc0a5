/**
 * The statuses of commands: 0 means done, 1 means that the requested item does not exist, 2 means an error or
 * wrong use. Each command is tried with an item that does not exist and with a wrong option; terminal.test.ts
 * tries commands with existing items. One run tries a part of the commands, `DAYBOOK_SOAK=2` all.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { fillIn } from '../../src/cli/tools/tool-groups.js';
import { sampled } from '../support/rounds.js';
import { MAIN, type Place, runCommand, withPlace } from './harness.js';

const ID = '20250124-1706102400999';
const INSIGHT = '0fa459ea-ee8a-4ca4-894e-db77e160355e';

/** The arguments and the status of each command on an empty store. Without an entry it has no arguments. */
const MISSING: Readonly<Record<string, readonly [status: number, ...args: string[]] | null>> = {
  serve: null,
  init: null,
  demo: null,
  info: null,
  doctor: null,
  scan: null,
  backup: null,
  encrypt: null,
  decrypt: null,
  complete: null,
  prune: null,
  archive: null,
  search: [1, 'walrus'],
  find: [1, 'walrus'],
  'session-start': [1],
  list: [1, 'walrus'],
  show: [1, ID],
  save: [1, 'user', 'text', '--conversation-id', ID],
  rename: [1, 'walrus', 'title'],
  tag: [1, 'walrus', 'tag'],
  pin: [1, 'walrus'],
  unpin: [1, 'walrus'],
  delete: [1, 'walrus', '--yes'],
  edit: [1, 'walrus'],
  open: [1, 'walrus', '--print'],
  history: [1, 'walrus'],
  export: [1, 'walrus'],
  restore: [1, 'walrus'],
  import: [2, 'missing.jsonl'],
  stats: [1],
  redact: [1, 'walrus', '--yes'],
  unlock: [1, 'walrus'],
  completion: [2, 'walrus'],
  help: [2, 'walrus'],
  'insight save': null,
  'insight search': [1, 'walrus'],
  'insight list': [1],
  'insight get': [1, INSIGHT],
  'insight update': [1, INSIGHT, '--content', 'text'],
  'insight delete': [1, INSIGHT],
  'insight export': [0],
  'insight import': [2, 'missing.jsonl'],
  'kg add': null,
  'kg query': [1, 'walrus'],
  'kg neighbors': [1, 'walrus'],
  'kg delete': [1, 'walrus', 'knows', 'Ada'],
  'kg subjects': [1],
  'kg stats': null,
  'kg save': null,
  'kg export': [0],
  'kg import': [2, '--file', 'missing.jsonl'],
  'mb add': null,
  'mb list': [1],
  'mb read': [1, 'walrus.md'],
  'mb history': [1, 'walrus.md'],
  'mb search': [1, 'walrus'],
  'mb edit': [1, 'walrus.md', '--old-text', 'a', '--new-text', 'b'],
  'mb delete': [1, 'walrus.md'],
  'mb reindex': null,
  'trash list': [0],
  'trash restore': [1, ID],
  'trash empty': [0, '--yes'],
  'providers list': [0],
  'providers add': null,
  'providers allow': [1, 'walrus', '--yes'],
  'providers remove': [1, 'walrus'],
  'providers test': [1, 'walrus'],
  'embeddings status': null,
  'embeddings enable': null,
  'embeddings disable': null,
  'embeddings update': null,
  'retention show': null,
  'retention add': null,
  'retention clear': null,
};

const program = createProgram();
for (const command of program.commands) fillIn(command, () => ({}));
const namesOf = (command: Command): string[] =>
  command.commands.length === 0
    ? [command.name()]
    : command.commands.flatMap((each) => namesOf(each).map((name) => `${command.name()} ${name}`));
const NAMES = program.commands.flatMap(namesOf);

const run = (place: Place, ...args: string[]) =>
  runCommand(place, ['--root', place.root, ...args], place.folder);

it.each([
  ['archive', '--older-than', '90d', '--dry-run'],
  ['export'],
  ['insight', 'export'],
  ['insight', 'list'],
  ['kg', 'export'],
  ['prune', '--older-than', '90d', '--dry-run'],
  ['providers', 'list'],
  ['redact', 'a secret', '--with', '***', '--dry-run'],
  ['search', 'soil', '--archive'],
])('makes no root, because it only reads: %s %s', async (...words) => {
  await withPlace(async (place) => {
    const { code, stderr } = await runCommand(place, words);
    expect(code, stderr).not.toBe(2);
    expect(await readdir(place.folder)).not.toContain('.daybook');
  });
});

describe('the status of a command', () => {
  it('is in a line of this file', () => {
    expect(Object.keys(MISSING).sort()).toEqual([...new Set([...NAMES, 'help'])].sort());
  });

  it('shows whether the requested item is missing, and --json has the reason', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root);
      for (const [name, asked] of sampled('missing', Object.entries(MISSING), 2)) {
        if (asked === null) continue;
        const [status, ...args] = asked;
        const { code, stdout, stderr } = await run(place, ...name.split(' '), ...args);
        expect(code, `${name}: ${stdout}${stderr}`).toBe(status);
        if (status === 2) expect(stderr, name).toMatch(/^(daybook|error): /);
      }
    });
  });

  it('is 0 if an empty result is normal: an empty trash, no lock, an empty export', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root);
      for (const name of ['trash', 'unlock', 'providers list', 'insight export', 'kg export']) {
        expect((await run(place, ...name.split(' '))).code, name).toBe(0);
      }
    });
  });

  it('is 2 for wrong use, and with --json an object is on stdout', async () => {
    await withPlace(async (place) => {
      const names = NAMES.filter((each) => each !== 'complete');
      for (const name of sampled('wrong use', names, 3)) {
        const args = [...name.split(' '), '--no-such', '--json'];
        const { code, stdout, stderr } = await run(place, ...args);
        expect(code, `${name}: ${stdout}${stderr}`).toBe(2);
        expect(JSON.parse(stdout), name).toMatchObject({
          success: false,
          error: {
            code: 'VALIDATION_ERROR',
            number: 1000,
            retryable: false,
            message: expect.stringMatching(/--no-such|required/),
            hint: expect.any(String),
          },
        });
        expect(stderr, name).toBe('');
      }
    });
  });

  it('is 2 for a title or tags that are too long, and 1 for a version that does not exist', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      await run(place, 'save', 'user', 'one raven', '--conversation-id', 'k');
      const long = 'x'.repeat(1500);
      for (const args of [['rename'], ['tag']]) {
        const { code, stdout } = await run(place, ...args, 'k', long, '--json');
        expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
        expect(code).toBe(2);
      }
      expect((await run(place, 'restore', 'k', '--version', '99')).code).toBe(1);
    });
  });

  it('is 1 each time if only the name of a file contains the text to remove', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      await run(place, 'mb', 'add', 'ideas/raven.md', 'one raven');
      const first = await run(place, 'redact', 'raven', '--yes');
      expect(first.stdout).toContain('1 file changed. The text is still in 0 files and in 1 name.');
      const second = await run(place, 'redact', 'raven', '--yes');
      expect(second.stdout).not.toContain('No file contains');
      expect([first.code, second.code]).toEqual([1, 1]);
    });
  });

  it('is 1 if a file that could not be read may contain the text to remove', async () => {
    await withPlace(async (place) => {
      mkdirSync(join(place.root, 'backups'), { recursive: true });
      const backup = 'daybook-20260101T000000Z-0123abcd.tar.gz';
      writeFileSync(join(place.root, 'backups', backup), 'damaged');
      const none = await run(place, 'redact', 'raven', '--dry-run');
      expect(none.stdout).toContain('No file that could be read contains the text.');
      await run(place, 'save', 'user', 'one raven');
      const done = await run(place, 'redact', 'raven', '--yes');
      expect(done.stdout).toContain('It may also be in 1 file that could not be read.');
      expect([none.code, done.code]).toEqual([1, 1]);
    });
  });
});

it.skipIf(process.platform === 'win32')(
  'a working folder that was removed is an error',
  async () => {
    await withPlace(async ({ folder, root, env }) => {
      const removed = join(folder, 'removed');
      for (const args of [['list'], ['serve'], ['demo', 'made'], ['list', '--json']]) {
        mkdirSync(removed);
        const start = ['-c', 'cd "$1" && rmdir "$1" && shift && exec "$@"', 'sh', removed];
        const command = [process.execPath, MAIN, '--root', root, ...args];
        const { status, stdout, stderr } = spawnSync('sh', [...start, ...command], {
          env,
          encoding: 'utf8',
          input: '',
        });
        expect(status).toBe(2);
        expect(stdout + stderr).toContain('The working folder was removed');
        expect(stderr).not.toContain('    at ');
      }
    });
  },
);
