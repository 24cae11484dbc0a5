/**
 * Files of somebody else's making: nothing of them runs, nothing outside the root is made, read into
 * an answer or changed, no call hangs, and the answer names the file. The built command, real git and
 * a real shell.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/base/ids.js';
import { archiveOf } from '../../src/files/archive.js';
import { writeNewFile } from '../../src/files/atomic/new-file.js';
import { withLock } from '../../src/files/locks/file-lock.js';
import { CONTENTS_NAME } from '../../src/maintenance/backup-content.js';
import { KnowledgeGraph } from '../../src/stores/knowledge-graph/knowledge-graph.js';
import { MAIN, withClient } from '../e2e/harness.js';
import { tempFolder } from '../support/temp-folder.js';

const ID = '20250124-1706102400123';
const INSIGHT = '0b8f2c1e-5a77-4c7e-9d51-3f0f5c1f7a11';
const SECRET = 'the-secret-outside';
/** Far more than any of these calls takes; what hangs, hangs for ever. */
const HANGS_MS = 60_000;

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

/** Of the built command; the process is ended where it hangs, and `code` is `null` then. */
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

/** All below a folder that is no part of `except`, with what is in it. */
function treeOf(folder: string, except: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ path }) => !path.startsWith(except))
    .map(({ entry, path }) => `${path}: ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`)
    .sort();
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, stdio: 'pipe' }).toString();

describe('the two ways to run code', () => {
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
    ...{ name, sizeBytes: Buffer.byteLength(text), sha256: sha256Hex(text) },
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

/** What lies at the name instead of Daybook's own. `isRead`: Daybook may read it (a hard link). */
const KINDS: Record<string, { lay(path: string, outside: string): void; isRead?: boolean }> = {
  'a link to a file outside': { lay: (path, outside) => symlinkSync(join(outside, 'file'), path) },
  'a link to a folder outside': { lay: (path, outside) => symlinkSync(outside, path) },
  'a dangling link': { lay: (path, outside) => symlinkSync(join(outside, 'new'), path) },
  'a pipe': { lay: (path) => void execFileSync('mkfifo', [path]) },
  'a link to a device': { lay: (path) => symlinkSync('/dev/zero', path) },
  // Only root can make a device; a link to one is tried for everybody.
  ...(process.getuid?.() === 0 && {
    'a device': { lay: (path: string) => void execFileSync('mknod', [path, 'c', '1', '5']) },
  }),
  'a hard link': { lay: (path, outside) => linkSync(join(outside, 'file'), path), isRead: true },
};

const CALLS = {
  show: ['get_conversation', { conversationId: ID }],
  list: ['get_conversations', {}],
  save: ['save_message', { conversationId: ID, role: 'user', content: 'hello' }],
  job: ['get_conversation_history', { conversationId: ID }],
  state: ['set_state', { contextWindow: 3 }],
  query: ['kg_query', { subject: 'Ada' }],
  stats: ['kg_stats', {}],
  add: ['kg_add', { subject: 'Ada', predicate: 'knows', object: 'Grace' }],
  compact: ['kg_save', {}],
  insights: ['list_insights', { context: 'global' }],
  notes: ['mb_list', {}],
  note: ['mb_add', { path: 'new.md', content: 'text' }],
  backup: ['backup', {}],
  delete: ['delete_conversation', { conversationId: ID }],
  removeNote: ['mb_delete', { path: 'kept.md' }],
  export: ['export_conversations', { file: 'all.jsonl' }],
  summary: ['get_progressive_detail', { conversationId: ID }],
} as const;

/** The names that Daybook opens below a root, and calls that come across each. */
const NAMES: readonly (readonly [name: string, ...calls: (keyof typeof CALLS)[]])[] = [
  [`conversation-logs/${ID}/conversation.json`, 'show', 'list', 'save', 'backup'],
  [`conversation-logs/${ID}/job.json`, 'job', 'list'],
  [`conversation-logs/${ID}`, 'show', 'list', 'save'],
  ['conversation-logs/.gitignore', 'list', 'save'],
  ['conversation-logs/state.json', 'state'],
  ['conversation-logs/.locks', 'save'],
  ['conversation-logs', 'list', 'save'],
  ['memory-bank', 'query', 'add', 'notes', 'note', 'insights'],
  ['memory-bank/.locks', 'add', 'note'],
  ['memory-bank/.locks/kg', 'add'],
  ['memory-bank/.gitignore', 'add', 'note'],
  ['memory-bank/.gitattributes', 'add', 'note'],
  ['memory-bank/kg_wal.log', 'query', 'stats', 'add', 'compact'],
  ['memory-bank/kg_snapshot.json', 'query', 'stats', 'add', 'compact'],
  ['memory-bank/kg_snapshot.sha256', 'query', 'stats', 'compact'],
  ['memory-bank/kg_snapshot.previous.json', 'add', 'compact', 'compact'],
  ['memory-bank/kg_wal.previous.log', 'add', 'compact', 'compact'],
  ['memory-bank/insights', 'insights'],
  [`memory-bank/insights/${INSIGHT}.json`, 'insights'],
  ['memory-bank/note.md', 'notes', 'backup'],
  ['backups', 'backup'],
  ['exports', 'export'],
  ['conversation-logs/.trash', 'delete'],
  ['memory-bank/.trash', 'removeNote'],
  [`conversation-logs/${ID}/summaries.json`, 'summary', 'save', 'backup'],
];

describe.each(Object.entries(KINDS))('a name of Daybook that is %s', (kind, { lay, isRead }) => {
  it.each(NAMES.map(([name, ...calls]) => ({ name, calls })))(
    'neither reads, makes nor changes anything outside: $name',
    async ({ name, calls }) => {
      const isFolder = !basename(name).includes('.') || name.endsWith('.locks');
      if (isRead && isFolder) return; // no system makes hard links of folders
      const place = newHome();
      const { home, root } = place;
      const outside = join(home, 'outside');
      mkdirSync(join(outside, 'sub'), { recursive: true });
      const told = { messages: [{ role: 'user', content: SECRET }], content: SECRET };
      const file = JSON.stringify({ ...told, context: 'global' });
      for (const each of ['file', 'conversation.json', 'note.md', `${INSIGHT}.json`]) {
        writeFileSync(join(outside, each), file);
      }
      if (name !== 'conversation-logs') {
        mkdirSync(join(root, 'conversation-logs', ID), { recursive: true });
        writeFileSync(join(root, 'conversation-logs', ID, 'conversation.json'), '{"messages":[]}');
      }
      if (name !== 'memory-bank') {
        mkdirSync(join(root, 'memory-bank'), { recursive: true });
        writeFileSync(join(root, 'memory-bank', 'kept.md'), 'kept\n');
      }
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      rmSync(path, { recursive: true, force: true });
      lay(path, outside);
      const before = treeOf(outside, root);
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        DAYBOOK_TOOLSETS: 'all',
        PERSISTENCE_LOG_LEVEL: 'silent',
      };
      await withClient({ root, folder: home, env }, async ({ result }) => {
        let everything = '';
        for (const call of [...calls, 'info'] as const) {
          const [tool, args] = call === 'info' ? ['store_info', {}] : CALLS[call];
          const text = JSON.stringify(await result(tool, args));
          if (!isRead) expect(text, call).not.toContain(SECRET);
          expect(text, call).not.toContain('INTERNAL');
          everything += text;
          expect(treeOf(outside, root), call).toEqual(before);
        }
        // A hard link that is only read cannot be told from any other file.
        if (!isRead) expect(everything, kind).toContain(basename(name));
      });
    },
  );
});

/** Swaps `path` for a link to `outside` and back, again and again, until `work` is done. */
async function whileSwapped(path: string, outside: string, work: () => Promise<void>) {
  const aside = `${path}.aside`;
  let isOver = false;
  const pause = () => new Promise((resolve) => setImmediate(resolve));
  const swapping = (async () => {
    while (!isOver) {
      if (existsSync(path)) renameSync(path, aside);
      symlinkSync(outside, path);
      await pause();
      rmSync(path, { force: true });
      if (existsSync(aside)) renameSync(aside, path);
      await pause();
    }
  })();
  await work();
  isOver = true;
  await swapping;
}

/** Calls `write` in turn; how often it succeeded and how often it was refused. */
async function attempts(rounds: number, write: (round: number) => Promise<unknown>) {
  let [written, refused] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    await write(round).then(
      () => (written += 1),
      () => (refused += 1),
    );
  }
  return { written, refused };
}

describe('a name that is swapped for a link while it is written', () => {
  it('leads no write out of the folder when the folder is swapped', async () => {
    const { root, home } = newHome();
    const [folder, outside] = [join(root, 'folder'), join(home, 'outside')];
    mkdirSync(folder);
    mkdirSync(outside);
    writeFileSync(join(outside, 'target'), SECRET);
    await whileSwapped(folder, outside, async () => {
      const { written, refused } = await attempts(400, (round) =>
        withLock(join(root, '.locks'), 'x', (lock) =>
          lock.replace(join(folder, 'target'), Buffer.from(`ours ${round}`), {
            fsync: round % 2 === 0,
          }),
        ),
      );
      expect([written > 0, refused > 0]).toEqual([true, true]);
    });
    expect(treeOf(outside, root)).toEqual([`${join(outside, 'target')}: ${SECRET}`]);
  });

  it('leads no append of the graph to another file when the log is swapped', async () => {
    const { root, home } = newHome();
    const [bank, outside] = [join(root, 'memory-bank'), join(home, 'outside')];
    mkdirSync(bank);
    mkdirSync(outside);
    writeFileSync(join(outside, 'target'), SECRET);
    const [snapshotPath, walPath] = [join(bank, 'kg_snapshot.json'), join(bank, 'kg_wal.log')];
    const limits = { maxTriples: 5000, evict: 'off', ttlDays: Number.POSITIVE_INFINITY } as const;
    const open = () =>
      new KnowledgeGraph({ snapshotPath, walPath, fsync: false, syncsAppends: false, ...limits });
    const kg = open();
    await kg.add([{ subject: 'first', predicate: 'is', object: 'there' }]);
    await whileSwapped(walPath, join(outside, 'target'), async () => {
      const { written } = await attempts(300, (round) =>
        kg.add([{ subject: `s${round}`, predicate: 'is', object: 'ours' }]),
      );
      expect(written).toBeGreaterThan(0);
    });
    await kg.close();
    expect(treeOf(outside, root)).toEqual([`${join(outside, 'target')}: ${SECRET}`]);
  });
});
