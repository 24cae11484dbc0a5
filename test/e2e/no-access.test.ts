/**
 * Files and folders that the user may not access. encrypt and decrypt change nothing and name the path if one
 * file cannot be read or one folder cannot be written. redact changes nothing if one folder cannot be written.
 * backup, prune and archive report what they left out. doctor names a folder that cannot be opened and checks
 * the others. Other commands work if one folder cannot be opened. A server that can open only a few files at once answers with an error, and works when fewer files are open.
 */
import {
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it } from 'vitest';
import { keyIn } from '../encryption/store.js';
import { filesBelow } from '../support/files-below.js';
import { MAIN, type Place, withPlace, withServerAt } from './harness.js';
import { connectHttp } from './http-harness.js';

const CONVERSATIONS = 20;
const folderOf = ({ root }: Place, n: number) =>
  join(root, 'conversation-logs', `20250124-${1737724800000 + n}`);

function fill(place: Place): void {
  for (let n = 0; n < CONVERSATIONS; n += 1) {
    mkdirSync(folderOf(place, n), { recursive: true });
    const file = { messages: [{ role: 'user', content: `text ${n}` }] };
    writeFileSync(join(folderOf(place, n), 'conversation.json'), JSON.stringify(file));
  }
}

/** Runs the command as a user who owns the files, because root may access every file. */
function runAsUser(place: Place, ...args: string[]) {
  const { status, stdout, stderr } = spawnAsUser(place, ...args, '--json');
  return { status, stderr, answer: JSON.parse(stdout) };
}

function spawnAsUser(place: Place, ...args: string[]) {
  const ids = asOwner(place);
  const options = { env: place.env, cwd: place.folder, encoding: 'utf8', ...ids } as const;
  return spawnSync(process.execPath, [MAIN, '--root', place.root, ...args], options);
}

function asOwner({ folder }: Place): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const ids = { uid: 65_534, gid: 65_534 };
  execFileSync('chown', ['-R', `${ids.uid}:${ids.gid}`, folder]);
  return ids;
}

const clientInfo = { name: 'test', version: '1' };

const contents = ({ root }: Place) =>
  Object.fromEntries(
    filesBelow(join(root, 'conversation-logs'))
      .filter((path) => path.endsWith('conversation.json'))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );

it.skipIf(process.platform === 'win32').each([
  ['a file that cannot be read', 'conversation.json', 0o000, 0o600],
  ['a folder that cannot be written', '.', 0o500, 0o700],
])('encrypt and decrypt change nothing if there is %s', async (_, name, refused, allowed) => {
  await withPlace(async (place) => {
    fill(place);
    const key = keyIn(place);
    const path = join(folderOf(place, CONVERSATIONS / 2), name);
    for (const [command, env] of [
      [['encrypt', '--key-file', key], {}],
      [['decrypt'], { DAYBOOK_KEY_FILE: key }],
    ] as const) {
      const user = { ...place, env: { ...place.env, ...env } };
      chmodSync(path, 0o600 | allowed);
      const before = contents(place);
      chmodSync(path, refused);
      const { status, answer } = runAsUser(user, ...command, '--yes');
      expect({ status, code: answer.error.code }).toEqual({ status: 2, code: 'FILESYSTEM_ERROR' });
      expect(answer.error.message).toContain(`${path} (no permission, EACCES)`);
      chmodSync(path, allowed);
      expect(contents(place)).toEqual(before);
      expect(runAsUser(user, ...command, '--yes')).toMatchObject({
        status: 0,
        answer: { converted: expect.any(Number) },
      });
    }
  });
});

it.skipIf(process.platform === 'win32')('backup reports a file that cannot be read', async () => {
  await withPlace(async (place) => {
    fill(place);
    const path = join(folderOf(place, CONVERSATIONS / 2), 'conversation.json');
    chmodSync(path, 0o000);
    const { status, answer } = runAsUser(place, 'backup');
    expect(status).toBe(1);
    expect(answer.isComplete).toBe(false);
    expect(answer.leftOut).toHaveLength(1);
    chmodSync(path, 0o600);
    const again = runAsUser(place, 'backup', '--to', join(place.folder, 'again'));
    expect(again).toMatchObject({ status: 0, answer: { isComplete: true } });
  });
});

it.skipIf(process.platform === 'win32')(
  'redact changes nothing if a folder cannot be written',
  async () => {
    await withPlace(async (place) => {
      fill(place);
      const before = contents(place);
      const folder = folderOf(place, CONVERSATIONS / 2);
      chmodSync(folder, 0o500);
      const { status, answer } = runAsUser(place, 'redact', 'text', '--yes');
      expect({ status, code: answer.error.code }).toEqual({ status: 2, code: 'FILESYSTEM_ERROR' });
      expect(answer.error.message).toContain(`${folder} (no permission, EACCES)`);
      chmodSync(folder, 0o700);
      expect(contents(place)).toEqual(before);
      expect(runAsUser(place, 'redact', 'text', '--yes')).toMatchObject({
        status: 0,
        answer: { done: true },
      });
      const withText = (files: ReturnType<typeof contents>) =>
        Object.values(files).filter((text) => text.includes('text'));
      expect(withText(before)).toHaveLength(CONVERSATIONS);
      expect(withText(contents(place))).toEqual([]);
    });
  },
);

it.skipIf(process.platform === 'win32').each([['scan'], ['redact', 'text', '--dry-run']])(
  '%s names a file that it cannot read once',
  async (...args) => {
    await withPlace(async (place) => {
      fill(place);
      const path = join(folderOf(place, 0), 'conversation.json');
      chmodSync(path, 0);
      const lines = spawnAsUser(place, ...args).stdout.split('\n');
      const line = lines.find((each) => each.startsWith('not read: ')) ?? '';
      expect(line).toContain('no permission');
      expect(line.split(path)).toHaveLength(2);
    });
  },
);

it.skipIf(process.platform === 'win32').each([
  ['a file that cannot be read', 'conversation.json'],
  ['a folder that cannot be opened', '.'],
])('prune and archive report %s', async (_, name) => {
  await withPlace(async (place) => {
    fill(place);
    const folder = folderOf(place, CONVERSATIONS / 2);
    chmodSync(join(folder, name), 0o000);
    const skipped = [{ conversationId: basename(folder), reason: expect.any(String) }];
    for (const command of ['prune', 'archive']) {
      const dry = runAsUser(place, command, '--older-than', '9d', '--dry-run');
      expect(dry).toMatchObject({ status: 1, answer: { skipped } });
      expect(dry.answer.conversations).toHaveLength(CONVERSATIONS - 1);
    }
    const archived = runAsUser(place, 'archive', '--older-than', '9d', '--yes');
    expect(archived).toMatchObject({ status: 1, answer: { skipped } });
    expect(archived.answer.archived).toHaveLength(CONVERSATIONS - 1);
    const pruned = runAsUser(place, 'prune', '--older-than', '9d', '--yes');
    expect(pruned).toMatchObject({ status: 1, answer: { moved: [], skipped } });
    chmodSync(join(folder, name), 0o700);
    const after = runAsUser(place, 'prune', '--older-than', '9d', '--yes');
    expect(after).toMatchObject({ status: 0, answer: { moved: [{}], skipped: [] } });
  });
});

it.skipIf(process.platform === 'win32')(
  'doctor names each folder that cannot be opened, and checks the others',
  async () => {
    await withPlace(async (place) => {
      fill(place);
      const paths = [4, 8].map((n) => folderOf(place, n));
      const open = join(folderOf(place, CONVERSATIONS - 1), 'conversation.json');
      chmodSync(join(place.root, 'conversation-logs'), 0o711);
      chmodSync(folderOf(place, CONVERSATIONS - 1), 0o711);
      chmodSync(open, 0o604);
      for (const [index, path] of paths.entries()) chmodSync(path, [0o000, 0o400][index] ?? 0);
      const { status, answer } = runAsUser(place, 'doctor');
      type Step = { check: string; error?: object; findings: { path: string; message: string }[] };
      const steps: Step[] = answer.steps;
      expect(steps.filter(({ error }) => error !== undefined)).toEqual([]);
      expect(status).toBe(1);
      const [permissions] = steps;
      const found = permissions?.findings.map(({ path }) => path);
      expect(found).toEqual(expect.arrayContaining([...paths, open]));
      for (const path of paths) chmodSync(path, 0o700);
    });
  },
);

it
  .skipIf(process.platform === 'win32')
  .each([
    'backups',
    'archive',
    'exports',
    'memory-bank/.locks',
    'memory-bank/ideas',
    'memory-bank/insights',
    'conversation-logs/.locks',
    'conversation-logs/.trash',
    'conversation-logs/20250124-1737724800003/attachments',
  ])('doctor makes all checks if it cannot open %s', async (name) => {
  await withPlace(async (place) => {
    fill(place);
    const closed = join(place.root, name);
    for (const each of ['backups', 'archive', name])
      mkdirSync(join(place.root, each), { recursive: true });
    const damaged = join(folderOf(place, 4), 'conversation.json');
    const archives = ['backups/daybook-20250101T000000Z', 'archive/conversations-2020-01']
      .map((each) => join(place.root, `${each}.tar.gz`))
      .filter((path) => !path.startsWith(closed));
    for (const path of [damaged, ...archives]) writeFileSync(path, 'damaged');
    const left = join(folderOf(place, 8), 'attachments', '.tmp-deadbeef-1-2-3-a1b2c31-0a1b2c3d');
    mkdirSync(dirname(left));
    writeFileSync(left, '');
    utimesSync(left, 1.6e9, 1.6e9);
    chmodSync(closed, 0o000);
    const { status, answer } = runAsUser(place, 'doctor');
    chmodSync(closed, 0o700);
    type Step = { error?: object; findings: { path: string }[] };
    const steps: Step[] = answer.steps;
    expect(steps.map(({ error }) => error)).toEqual(steps.map(() => undefined));
    const paths = steps.flatMap(({ findings }) => findings.map(({ path }) => path));
    expect(paths).toEqual(expect.arrayContaining([closed, damaged, ...archives, left]));
    expect(status).toBe(1);
  });
});

it.skipIf(process.platform === 'win32')(
  'a server that starts removes leftovers from all folders that it can open, and names the others',
  async () => {
    await withPlace(async (place) => {
      fill(place);
      const names = ['archive', 'backups', 'memory-bank/.locks', 'exports'];
      const folders = names.map((name) => join(place.root, name));
      const versions = join(folderOf(place, 0), 'versions');
      const settings = join(place.folder, 'config', 'daybook');
      const open = [join(folderOf(place, 8), 'attachments'), ...folders.splice(3), settings];
      const closed = [...folders, versions];
      for (const folder of [...closed, ...open]) mkdirSync(folder, { recursive: true });
      const left = open.map((folder) => join(folder, '.tmp-deadbeef-1-2-3-a1b2c31-0a1b2c3d'));
      for (const path of left) {
        writeFileSync(path, '');
        utimesSync(path, 1.6e9, 1.6e9);
      }
      const lock = join(settings, '.locks/providers/deadbeef-1-2-3-a1b2c31');
      mkdirSync(lock, { recursive: true });
      utimesSync(lock, 1.6e9, 1.6e9);
      left.push(dirname(lock));
      const ids = asOwner(place);
      for (const folder of closed) chmodSync(folder, 0o000);
      const server = spawn(process.execPath, [MAIN, '--root', place.root], {
        ...{ env: place.env, cwd: place.folder, ...ids },
      });
      try {
        let log = '';
        server.stderr.on('data', (part) => {
          log += part;
        });
        const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
        const hello = [
          { jsonrpc: '2.0', id: 1, method: 'initialize', params },
          { jsonrpc: '2.0', method: 'notifications/initialized' },
          { jsonrpc: '2.0', id: 2, method: 'tools/list' },
        ];
        server.stdin.write(hello.map((each) => `${JSON.stringify(each)}\n`).join(''));
        await expect.poll(() => left.filter(existsSync), { timeout: 20_000 }).toEqual([]);
        await expect.poll(() => closed.filter((folder) => !log.includes(folder))).toEqual([]);
      } finally {
        for (const folder of closed) chmodSync(folder, 0o700);
        server.kill();
        await once(server, 'exit');
      }
    });
  },
);

it('an archive that cannot be read does not keep another one from being searched and restored', async () => {
  await withPlace(async (place) => {
    const ids = ['20221110-1668038400000', '20231210-1702166400000'] as const;
    for (const id of ids) {
      const folder = join(place.root, 'conversation-logs', id);
      mkdirSync(folder, { recursive: true });
      const file = { messages: [{ role: 'user', content: 'text' }] };
      writeFileSync(join(folder, 'conversation.json'), JSON.stringify(file));
    }
    const { answer } = runAsUser(place, 'archive', '--older-than', '9d', '--yes');
    expect(answer.archived).toHaveLength(2);
    const [unreadable, readable] = ids;
    const archive = join(place.root, 'archive', 'conversations-2022-11.tar.gz');
    chmodSync(archive, 0o000);
    const found = runAsUser(place, 'search', 'text', '--archive');
    expect(found.answer.results).toMatchObject([{ conversationId: readable }]);
    expect(found.stderr).toContain(archive);
    expect(runAsUser(place, 'restore', readable)).toMatchObject({ status: 0 });
    expect(runAsUser(place, 'restore', unreadable).status).not.toBe(0);
  });
});

it.skipIf(process.platform === 'win32')(
  'other calls work if one folder cannot be opened',
  async () => {
    await withPlace(async (place) => {
      fill(place);
      const folder = folderOf(place, CONVERSATIONS / 2);
      chmodSync(folder, 0o000);
      expect(runAsUser(place, 'save', 'user', 'more').status).toBe(0);
      const info = runAsUser(place, 'info');
      expect(info).toMatchObject({ status: 1, answer: { conversations: CONVERSATIONS } });
      expect(info.answer.problems).toEqual([expect.stringContaining(folder)]);
      const backup = runAsUser(place, 'backup');
      expect(backup).toMatchObject({ status: 1, answer: { isComplete: false } });
      expect(backup.answer.leftOut).toEqual([
        { name: `conversation-logs/${basename(folder)}`, reason: expect.stringContaining(folder) },
      ]);
      chmodSync(folder, 0o700);
    });
  },
);

it.skipIf(process.platform === 'win32')(
  'info names the folder of insights or of notes that cannot be opened',
  async () => {
    await withPlace(async (place) => {
      fill(place);
      const insights = join(place.root, 'memory-bank', 'insights');
      mkdirSync(insights, { recursive: true });
      for (const folder of [insights, dirname(insights)]) {
        chmodSync(folder, 0o000);
        const { status, answer } = runAsUser(place, 'info');
        chmodSync(folder, 0o700);
        expect(status).toBe(1);
        expect(answer.problems).toContainEqual(expect.stringContaining(folder));
      }
    });
  },
);

it.skipIf(process.platform === 'win32')(
  'the other notes are listed and found if one folder of notes cannot be opened',
  async () => {
    await withPlace(async (place) => {
      const [closed, open] = ['closed', 'open'].map((name) =>
        join(place.root, 'memory-bank', name),
      );
      for (const folder of [closed, open] as string[]) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'a.md'), 'a raven');
      }
      chmodSync(closed ?? '', 0o000);
      const listed = runAsUser(place, 'mb', 'list');
      expect(listed.answer).toMatchObject({
        files: [{ path: 'open/a.md' }],
        skipped: [{ path: 'closed', code: 'FILESYSTEM_ERROR' }],
      });
      const found = runAsUser(place, 'mb', 'search', 'raven');
      expect(found.answer.total).toBe(1);
      chmodSync(closed ?? '', 0o700);
      expect(runAsUser(place, 'mb', 'list').answer.total).toBe(2);
    });
  },
);

it.skipIf(process.platform === 'win32')(
  'a call fails if too many files are open, and the next call works',
  async () => {
    await withPlace(async (place) => {
      const args = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, MAIN];
      const server = { command: 'sh', args: [...args, '--root', place.root], env: place.env };
      await withServerAt(new StdioClientTransport(server), async ({ call, result }) => {
        const saves = Array.from({ length: 300 }, (_, n) =>
          result('save_message', { conversationId: `k${n}`, role: 'user', content: `text ${n}` }),
        );
        const answers = await Promise.all(saves);
        const codes = answers.map(({ isError, _meta }) =>
          isError ? (_meta?.['daybook/error'] as { code: string }).code : 'saved',
        );
        const stored = codes.filter((code) => code === 'saved').length;
        expect(new Set(codes)).toContain('FILESYSTEM_ERROR');
        expect(codes.every((code) => ['saved', 'FILESYSTEM_ERROR'].includes(code))).toBe(true);
        await call('save_message', { conversationId: 'later', role: 'user', content: 'later' });
        expect(await call('get_conversations', { limit: 1 })).toMatchObject({ total: stored + 1 });
      });
    });
  },
);

// Node does not load a module again after one failure.
it.skipIf(process.platform === 'win32')(
  'a server over HTTP works after too many connections before its first call',
  async () => {
    await withPlace(async (place) => {
      const args = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, MAIN];
      const options = ['--root', place.root, '--http', '--port', '0'];
      const server = spawn('sh', [...args, ...options], { env: place.env });
      try {
        const url = await addressOf(server);
        const { client } = await connectHttp(url);
        await client.ping(); // opens a connection for the list
        const { port, hostname } = new URL(url);
        const sockets = Array.from({ length: 80 }, () => connect(Number(port), hostname));
        await Promise.all(
          sockets.map((socket) =>
            once(
              socket.on('error', () => undefined),
              'connect',
            ),
          ),
        );
        await client.listTools().catch(() => undefined);
        for (const socket of sockets) socket.destroy();
        await expect
          .poll(async () => (await connectHttp(url)).client.listTools())
          .toMatchObject({
            tools: expect.arrayContaining([expect.objectContaining({ name: 'save_message' })]),
          });
      } finally {
        server.kill();
        await once(server, 'exit');
      }
    });
  },
);

async function addressOf({ stderr }: ChildProcessWithoutNullStreams): Promise<string> {
  for (let printed = ''; ; ) {
    const url = /serves MCP at (http:\S+)\n/.exec(printed)?.[1];
    if (url !== undefined) return url;
    const [part] = await once(stderr, 'data');
    printed += part;
  }
}
