/**
 * Files that an attacker made: Daybook runs nothing in them, and creates, reads and changes nothing outside
 * the root. No call hangs, and the answer names the file. Uses the built command, real git and a real shell.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/base/ids.js';
import { writeNewFile } from '../../src/files/atomic/new-file-stream.js';
import { archiveOf } from '../../src/files/tar-archive.js';
import { CONTENTS_NAME } from '../../src/maintenance/check-archive.js';
import { MAIN } from '../e2e/harness.js';
import { tempFolder } from '../support/temp-folder.js';

/** Much longer than any of these calls takes. A call that is not finished by then hangs. */
const HANGS_MS = 240_000;

interface Home {
  readonly home: string;
  readonly root: string;
}

function newHome(): Home {
  const home = tempFolder();
  const root = join(home, 'notes');
  mkdirSync(root);
  return { home, root };
}

/** The answer of the built command. A command that hangs is killed, and its `code` is `null`. */
async function daybook({ home, root }: Home, args: readonly string[], mainArgs = [MAIN]) {
  const env = { PATH: process.env['PATH'], HOME: home, DAYBOOK_FSYNC: '0' };
  const child = spawn(process.execPath, [...mainArgs, '--root', root, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), HANGS_MS);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  clearTimeout(timer);
  return { code, text };
}

/** All entries below a folder, with their content, without those in `except`. */
function treeOf(folder: string, except: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ path }) => !path.startsWith(except))
    .map(({ entry, path }) => `${path}: ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`)
    .sort();
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, stdio: 'pipe' }).toString();

describe('ways to run code', () => {
  it('a link to the shell settings in a cloned memory bank is not written through', async () => {
    const { home, root } = newHome();
    const [bank, bashrc] = [join(root, 'memory-bank'), join(home, '.bashrc')];
    writeFileSync(bashrc, '# mine\n');
    const origin = join(home, 'origin');
    mkdirSync(origin);
    git(origin, 'init', '-q');
    const line = { s: '$(touch PWNED)', p: 'a', o: 'b', at: 1, id: '0123456789abcdef', sum: '0' };
    writeFileSync(
      join(origin, 'kg_wal.log'),
      `\n${JSON.stringify({ ...line, sum: '00000000' })}\n`,
    );
    symlinkSync('../../.bashrc', join(origin, 'kg_rejects.log'));
    git(origin, 'add', '-A');
    git(origin, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'a');
    git(home, 'clone', '-q', origin, bank);
    const before = treeOf(bank, join(bank, '.git'));
    let text = '';
    for (const args of [['kg', 'query', 'Ada'], ['kg', 'stats'], ['mb', 'list'], ['info']]) {
      text += (await daybook({ home, root }, args)).text;
    }
    expect(text).toContain('kg_rejects.log');
    expect(treeOf(bank, join(bank, '.git'))).toEqual(before);
    const added = await daybook({ home, root }, ['kg', 'add', 'Ada', 'knows', 'Grace']);
    expect(added.code).toBe(0);
    execFileSync('bash', ['--rcfile', bashrc, '-i', '-c', 'true'], { cwd: home, stdio: 'pipe' });
    expect(readFileSync(bashrc, 'utf8')).toBe('# mine\n');
    expect(existsSync(join(home, 'PWNED'))).toBe(false);
  });

  it('a backup cannot bring settings of git, of a shell or of an editor', async () => {
    const { home, root } = newHome();
    git(root, 'init', '-q');
    const run = `[core]\n\tfsmonitor = "touch ${join(home, 'PWNED')}; false"\n`;
    const fine = { 'memory-bank/fine.md': '# fine\n', 'memory-bank/.gitignore': '.locks/\n' };
    const bad = Object.fromEntries(
      [
        ...['.git/config', '.GIT/config', '.git./config', '.git /config', 'git~1/config.md'],
        ...['.g\u200cit/config', '.git::$INDEX_ALLOCATION/config', '.envrc', '.vscode/tasks.json'],
        ...['.claude/settings.json', '.locks/x/y', '.tmp-1', 'a.md:ads', 'con.md', 'Makefile'],
        `${'x'.repeat(300)}.md`,
        ...['a\u001b]0;title\u0007.md', 'a\nb.md', 'a\u202eb.md', '.trash/x/.git/config'],
      ].map((name) => [`memory-bank/${name}`, run]),
    );
    const logs = { 'conversation-logs/.gitignore': '!*\n', 'conversation-logs/.git/config': run };
    const archive = await archiveWith(home, { ...fine, ...bad, ...logs });
    const { code, text } = await daybook({ home, root }, ['restore', archive]);
    expect(code).toBe(1);
    expect(text).toContain('2 restored');
    for (const name of ['.git/config', '.envrc', '.claude/settings.json', 'con.md']) {
      expect(text).toContain(`memory-bank/${name}`);
    }
    for (const control of ['\u001b', '\u202e', '\u0007']) expect(text).not.toContain(control);
    const bank = join(root, 'memory-bank');
    expect(readdirSync(bank).sort()).toEqual(['.gitignore', 'fine.md']);
    expect(readFileSync(join(root, 'conversation-logs/.gitignore'), 'utf8')).toBe('*\n');
    for (const cwd of [root, bank, join(root, 'conversation-logs')]) git(cwd, 'status');
    expect(existsSync(join(home, 'PWNED'))).toBe(false);
  });
});

async function archiveWith(folder: string, files: Record<string, string>): Promise<string> {
  const list = Object.entries(files).map(([name, text]) => ({
    name,
    sizeBytes: Buffer.byteLength(text),
    sha256: sha256Hex(text),
  }));
  const contents = { format: 'daybook-backup', version: 1, createdAt: 'x', files: list };
  const all = { ...files, [CONTENTS_NAME]: JSON.stringify(contents) };
  async function* entries() {
    for (const [name, text] of Object.entries(all)) {
      yield { name, bytes: Buffer.from(text), modifiedMs: 0 };
    }
  }
  const path = join(folder, 'hostile.tar.gz');
  await writeNewFile(path, archiveOf(entries()), { fsync: false });
  return path;
}

describe('settings that are a pipe', () => {
  it('end the command at once with an error that names the file', async () => {
    const place = newHome();
    const folder = join(place.home, '.config', 'daybook');
    mkdirSync(folder, { recursive: true });
    execFileSync('mkfifo', [join(folder, 'config.json')]);
    for (const args of [['list'], ['info'], ['serve']]) {
      const { code, text } = await daybook(place, args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(text).toContain('config.json is a pipe');
    }
  });
});
