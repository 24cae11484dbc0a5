/** `daybook import` and its tool, with the built command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, it } from 'vitest';
import { gitIn } from '../support/git.js';
import { runInTerminal } from '../support/terminal.js';
import {
  MAIN,
  type Place,
  runCommand,
  runProcess,
  withClient,
  withPlace as withEmptyPlace,
} from './harness.js';

const FIXTURE = join(import.meta.dirname, '../fixtures/import/chatgpt/conversations.json');
const SESSION = `${JSON.stringify({ type: 'user', uuid: 'u', sessionId: 's', message: { content: 'hello' } })}\n`;
/** Makes the root, because commands do not make a root that an option names. */
const withPlace = (work: (place: Place) => Promise<void>) =>
  withEmptyPlace(async (place) => {
    await mkdir(place.root);
    await work(place);
  });
const run = (place: Place, ...args: string[]) => runCommand(place, ['--root', place.root, ...args]);

describe('daybook import', () => {
  it('lists what it would import with a dry run, imports it, and a search finds it', async () => {
    await withPlace(async (place) => {
      const dry = await run(place, 'import', FIXTURE, '--dry-run');
      expect(dry.code).toBe(0);
      expect(dry.stdout).toContain('3 conversations to be added');
      const unasked = await run(place, 'import', FIXTURE);
      expect(unasked.code).toBe(2);
      expect(unasked.stderr).toContain('--yes');
      const done = await run(place, 'import', FIXTURE, '--yes');
      expect(done.code).toBe(0);
      expect(done.stdout).toContain('3 conversations added');
      // The line has the location only once.
      expect(done.stderr).toMatch(/^\[1\] of conversations\.json /m);
      expect((await run(place, 'search', 'larch')).stdout).toContain('Twelve planks of');
    });
  });

  it.runIf(process.platform === 'linux')('waits for 16 files at the same time', async () => {
    await withPlace(async (place) => {
      const script = join(place.folder, 'count-threads.cjs');
      // A script of `--require` starts no threads; one of `--import` does.
      await writeFile(
        script,
        `process.on('exit', () => {
          const threads = require('node:fs').readdirSync('/proc/self/task').length;
          process.stderr.write('THREADS' + threads);
        });`,
      );
      const env = { ...place.env, NODE_OPTIONS: `--require=${script}` };
      const args = ['--root', place.root, 'import', FIXTURE, '--yes'];
      const threadsOf = async (size: Record<string, string>) => {
        const { stderr } = await runProcess({ ...place, env: { ...env, ...size } }, args);
        return Number(/THREADS(\d+)/.exec(stderr)?.[1]);
      };
      const [chosen, four] = [await threadsOf({}), await threadsOf({ UV_THREADPOOL_SIZE: '4' })];
      expect(chosen - four).toBe(12);
    });
  });

  it('also asks if only values of the state are new', async () => {
    await withPlace(async (place) => {
      const path = join(place.root, '../old.db');
      const old = new sqlite.Database(path);
      old.exec(`
        CREATE TABLE conversations (id TEXT, created_at INTEGER);
        CREATE TABLE messages (conversation_id TEXT, role TEXT, content TEXT, created_at INTEGER);
        CREATE TABLE persistence_state (key TEXT, value TEXT);
        INSERT INTO persistence_state VALUES ('language', 'French');`);
      old.close();
      const unasked = await run(place, 'import', path);
      expect(unasked.stderr).toContain('--yes');
      expect(unasked.code).toBe(2);
      const done = await run(place, 'import', path, '--yes');
      expect(done.stdout).toMatch(/^\S+: .+\n1 state value added\n$/);
      const again = await run(place, 'import', path, '--yes');
      expect(again.stdout).toMatch(/^\S+: .+\nnothing new: /);
    });
  });

  it('names only the first of many conversations that got a branch', async () => {
    await withPlace(async (place) => {
      const path = join(place.root, '../chats.json');
      const chats = (count: number) =>
        Array.from({ length: 12 }, (_, at) => {
          const nodes = [1, 2, 3].slice(0, count).map((n) => {
            const message = { author: { role: 'user' }, content: { parts: [`text ${n}`] } };
            const parent = n === 1 ? null : `message-of-chat-${at}-${n - 1}`;
            return [`message-of-chat-${at}-${n}`, { parent, message }];
          });
          return { id: `chat-${at}`, mapping: Object.fromEntries(nodes) };
        });
      await writeFile(path, JSON.stringify(chats(2)));
      await run(place, 'import', path, '--yes');
      const { stdout } = await run(place, 'list', '--json');
      const ids = [...new Set(stdout.match(/\d{8}-\d{13}/g))];
      expect(ids).toHaveLength(12);
      for (const id of ids) {
        const file = join(place.root, 'conversation-logs', id, 'conversation.json');
        const document = JSON.parse(await readFile(file, 'utf8'));
        document.messages.push({ id: `own-${id}`, role: 'user', content: 'said here' });
        await writeFile(file, JSON.stringify(document));
      }
      await writeFile(path, JSON.stringify(chats(3)));
      const { stdout: report } = await run(place, 'import', path, '--yes');
      expect(report.match(/\d{8}-\d{13}/g)).toHaveLength(10);
      expect(report).toContain('and 2 more, which --json lists');
    });
  });

  it('prints one object with --json, and ends with 0 although a record was skipped', async () => {
    await withPlace(async (place) => {
      const { code, stdout } = await run(place, 'import', FIXTURE, '--yes', '--json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        added: 3,
        updated: 0,
        unchanged: 0,
        skipped: 1,
        problems: [{ path: 'conversations.json', record: '[1]', code: 'CORRUPT' }],
      });
    });
  });

  it('asks on a terminal, and changes nothing if the answer is no', async () => {
    await withPlace(async (place) => {
      const args = ['--root', place.root, 'import', FIXTURE];
      const no = await runInTerminal(place, args, { answers: [{ after: '[y/N]', type: 'n\n' }] });
      expect(no.screen).toContain('to be added');
      expect(no.screen).toContain('Nothing was imported.');
      expect(no.code).toBe(1);
      expect((await run(place, 'import', FIXTURE, '--dry-run')).stdout).toContain(
        '3 conversations to',
      );
      await runInTerminal(place, args, { answers: [{ after: '[y/N]', type: 'y\n' }] });
      expect((await run(place, 'import', FIXTURE)).stdout).toContain('3 unchanged');
    });
  });

  it('reports that nothing is new if the same insights, notes or facts were imported before', async () => {
    await withPlace(async (place) => {
      const path = join(place.folder, 'memory.jsonl');
      await writeFile(path, '{"subject":"Ada","predicate":"knows","object":"Charles"}\n');
      expect((await run(place, 'import', path, '--yes')).stdout).toContain('1 fact added');
      const again = await run(place, 'import', path, '--yes');
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing new') });
    });
  });

  it('does not report that nothing is new if it stopped at the size limit', async () => {
    await withPlace(async (place) => {
      const folder = join(place.root, 'conversation-logs', '20250124-1706102400123');
      const path = join(place.folder, 'all.jsonl');
      await mkdir(folder, { recursive: true });
      await writeFile(
        join(folder, 'conversation.json'),
        '{"messages":[{"role":"user","content":"tea"}]}',
      );
      await run(place, 'export', '-o', path);
      const other = { ...place, root: join(place.folder, 'other') };
      other.env['DAYBOOK_MAX_SIZE_MB'] = '1';
      await mkdir(join(other.root, 'conversation-logs'), { recursive: true });
      await writeFile(join(other.root, 'conversation-logs', 'filler'), Buffer.alloc(1_100_000));
      const stopped = await run(other, 'import', path, '--yes');
      expect(stopped.stderr).toContain('The import stopped. The size of the store is');
      expect(stopped).toMatchObject({
        code: 1,
        stdout: expect.not.stringContaining('nothing new'),
      });
    });
  });

  it('imports the standard input, and the same text only once', async () => {
    await withPlace(async (place) => {
      const pipe = (text: string | Uint8Array, ...args: string[]) =>
        runCommand(place, ['--root', place.root, 'import', ...args], place.folder, text);
      const text = 'User: Which wood is the bench?\n\nAssistant: Larch.\n';
      expect((await pipe(text, '-', '--yes')).stdout).toContain('1 conversation added');
      expect((await pipe(text, '-', '--yes')).stdout).toContain('1 unchanged');
      expect((await pipe(text, '-', FIXTURE)).code).toBe(2);
      expect((await pipe(text, '-', '--watch')).code).toBe(2);
      const json = await pipe('', '--watch', '--json');
      expect(json.code).toBe(2);
      expect(JSON.parse(json.stdout).error.code).toBe('VALIDATION_ERROR');
      const damaged = await pipe(Buffer.from([0x55, 0xff, 0xfe]), '-', '--yes');
      expect(damaged.code).toBe(2);
      expect(damaged.stderr).toContain('not UTF-8');
    });
  });

  it('lists the folders in which other tools store sessions, and the tools that delete them', async () => {
    await withPlace(async (place) => {
      const folder = join(place.folder, '.claude', 'projects', 'x');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 's.jsonl'), SESSION);
      const listed = await run(place, 'import');
      expect(listed.stdout).toContain(join(place.folder, '.claude'));
      expect(listed.stdout).toContain('30 days');
      expect(listed.stdout).toContain('--dry-run');
      await mkdir(join(place.folder, '.codex', 'sessions'), { recursive: true });
      const dry = await run(place, 'import', '--dry-run');
      expect(dry.stdout).toContain('1 conversation to be added');
      expect(dry.stdout).toContain('tools without conversations that Daybook can read: 1');
      expect(dry.stderr).not.toContain('VALIDATION_ERROR');
      expect(dry.code).toBe(0);
      const { stdout } = await run(place, 'import', '--dry-run', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ added: 1, sources: [{ kind: 'claude-code' }] });
      const args = ['--root', place.root, 'import'];
      const no = await runInTerminal(place, args, { answers: [{ after: '[y/N]', type: 'n\n' }] });
      expect(no.screen).toContain('1 conversation to be added');
      expect(no.screen).not.toContain('--dry-run');
      expect((await run(place, 'import', '--yes')).stdout).toContain('1 conversation added');
    });
  });

  it('imports only the sessions of the tool that --from names, also with --watch', async () => {
    await withPlace(async (place) => {
      const session = async (folder: string, id: string) => {
        const path = join(place.folder, folder, 'sessions');
        await mkdir(path, { recursive: true });
        await writeFile(join(path, 'a.jsonl'), SESSION.replace('"s"', JSON.stringify(id)));
      };
      await session('.claude/projects', 'wanted');
      await session('.codex', 'other');
      const { stdout } = await run(place, 'import', '--from', 'claude-code', '--dry-run', '--json');
      expect(JSON.parse(stdout).sources).toMatchObject([{ kind: 'claude-code' }]);
      const none = await run(place, 'import', '--from', 'gemini-cli', '--yes');
      expect(none.stdout).toContain('no conversations of the kind gemini-cli');
      const args = ['--root', place.root, 'import', '--from', 'claude-code', '--watch'];
      const watching = spawn(process.execPath, [MAIN, ...args], { env: place.env });
      let shown = '';
      for await (const chunk of watching.stdout) {
        shown += chunk;
        if (shown.includes('added')) break;
      }
      const ended = once(watching, 'exit');
      watching.kill('SIGINT');
      await ended;
      expect(shown).toContain('1 conversation added');
      expect(shown).not.toContain('.codex');
    });
  });

  it('escapes control characters in what it says about the tools', async () => {
    await withPlace(async (place) => {
      const gemini = join(place.folder, '.gemini');
      await mkdir(join(gemini, 'tmp'), { recursive: true });
      const retention = { sessionRetention: { maxAge: '7d\u001b[2J\u202e' } };
      await writeFile(join(gemini, 'settings.json'), JSON.stringify({ general: retention }));
      const shown = await run(place, 'import');
      expect(shown.stdout).toContain('older than 7d\\u001b[2J\\u202e (');
      const { stdout } = await run(place, 'import', '--json');
      expect(stdout).toContain('\\u202e');
      expect(JSON.parse(stdout).places).toMatchObject([{ kind: 'gemini-cli' }]);
    });
  });

  it('uses the folder of CLAUDE_CONFIG_DIR instead of ~/.claude', async () => {
    await withPlace(async (place) => {
      const sessionsIn = async (folder: string, name: string) => {
        const path = join(folder, 'projects', 'x');
        await mkdir(path, { recursive: true });
        await writeFile(join(path, name), SESSION);
      };
      const named = join(place.folder, 'named by the variable');
      await sessionsIn(named, 'here.jsonl');
      await sessionsIn(join(place.folder, '.claude'), 'elsewhere.jsonl');
      const moved = { ...place, env: { ...place.env, CLAUDE_CONFIG_DIR: named } };
      const { stdout } = await run(moved, 'import');
      expect(stdout).toContain(`Claude Code: ${named} (`);
      expect(stdout).not.toContain(join(place.folder, '.claude'));
      expect((await run(moved, 'import', '--yes')).stdout).toContain('1 conversation added');
    });
  });

  it('shows on a terminal which part of a large session was read', async () => {
    await withPlace(async (place) => {
      const path = join(place.folder, 'large.jsonl');
      const lineOf = (n: number) =>
        JSON.stringify({
          type: 'user',
          uuid: `u${n}`,
          parentUuid: n === 0 ? null : `u${n - 1}`,
          sessionId: 's',
          message: { content: 'word '.repeat(2000) },
        });
      await writeFile(
        path,
        Array.from({ length: 3000 }, (_, n) => `${lineOf(n)}\n`),
      );
      const { screen } = await runInTerminal(place, [
        ...['--root', place.root, 'import', path, '--yes'],
      ]);
      const shown = [
        ...screen.matchAll(/0 conversations ([\d.]+) MB of 30\.\d MB of large\.jsonl/g),
      ];
      expect(new Set(shown.map(([, read]) => read)).size, screen).toBeGreaterThan(1);
      expect(screen).toContain('1 conversation added');
    });
  });

  it('never imports sessions of excluded folders, and a hook gives nothing to them', async () => {
    await withPlace(async (place) => {
      const client = join(place.folder, 'clients/acme/shop');
      const open = join(place.folder, 'clients-list');
      const lines = (cwd: string, id: string) =>
        SESSION.replace(
          '"sessionId":"s"',
          `"cwd":${JSON.stringify(cwd)},"sessionId":"${id}"`,
        ).replace('"uuid":"u"', `"uuid":"${id}"`);
      const logs = join(place.folder, '.claude', 'projects');
      await mkdir(client, { recursive: true });
      const git = gitIn(client);
      git('init', '-q');
      git('commit', '-q', '--allow-empty', '-m', 'first');
      const tree = join(place.folder, 'worktrees', 'shop');
      git('worktree', 'add', '-q', tree);
      for (const [folder, id] of [
        [client, 'secret'],
        [tree, 'secret-tree'],
        [open, 'public'],
      ] as const) {
        await mkdir(folder, { recursive: true });
        await mkdir(join(logs, `-${id}`), { recursive: true });
        await writeFile(join(logs, `-${id}`, `${id}.jsonl`), lines(folder, id));
      }
      const env = { ...place.env, DAYBOOK_IMPORT_EXCLUDE: join('~', 'clients') };
      const excluding = { ...place, env };
      const { stdout } = await run(excluding, 'import', logs, '--yes');
      expect(stdout).toContain('1 conversation added');
      expect(stdout).toContain('of an excluded folder: 2');
      const json = JSON.parse((await run(excluding, 'list', '--json')).stdout);
      expect(json.conversations).toMatchObject([{ module: 'clients-list' }]);
      await run(excluding, 'save', 'user', 'hello', '--module', 'shop');
      const hook = (cwd: string) =>
        runCommand(
          excluding,
          ['--root', place.root, 'session-start', '--hook', 'codex'],
          cwd,
          '{"source":"startup"}',
        );
      for (const cwd of [client, tree])
        expect(await hook(cwd)).toMatchObject({ code: 0, stdout: '', stderr: '' });
      expect((await hook(open)).stdout).toContain('hello');
      expect(
        (await runCommand(place, ['--root', place.root, 'session-start'], client)).stdout,
      ).toContain('hello');
    });
  });

  it('brings the command that continues a session in its own program', async () => {
    await withPlace(async (place) => {
      const log = join(place.folder, 'session.jsonl');
      await writeFile(log, SESSION.replace('"sessionId"', '"cwd":"/work/shed","sessionId"'));
      await run(place, 'import', log, '--yes');
      const resume = { program: 'Claude Code', command: 'claude --resume s', folder: '/work/shed' };
      await withClient(place, async ({ call }) => {
        const { conversations } = await call('get_conversations');
        const [{ conversationId }] = conversations as [{ conversationId: string }];
        expect(await call('get_conversation', { conversationId })).toMatchObject({ resume });
      });
      const { screen } = await runInTerminal(place, ['--root', place.root, 'show', 'last']);
      expect(stripVTControlCharacters(screen).replaceAll(/\s+/g, ' ')).toContain(
        'to continue it in Claude Code, while that still has it, run claude --resume s in /work/shed',
      );
      expect((await run(place, 'show', 'last')).stdout).not.toContain('claude --resume');
    });
  });

  it('refuses a file, a format or a time that it does not know', async () => {
    await withPlace(async (place) => {
      const path = join(place.folder, 'photo.bin');
      await writeFile(path, 'nothing');
      expect(await run(place, 'import', path, '--yes')).toMatchObject({ code: 2 });
      expect((await run(place, 'import', FIXTURE, '--from', 'nope')).stderr).toContain('chatgpt');
      const soon = await run(place, 'import', FIXTURE, '--since', 'soon');
      expect(soon).toMatchObject({ code: 2, stderr: expect.stringMatching(/ --since must be/) });
    });
  });
});

describe('import_conversations', () => {
  it('imports a path or a text, and finds the imported messages at once', async () => {
    await withPlace(async (place) => {
      const path = join(place.folder, 'conversations.json');
      await copyFile(FIXTURE, path);
      await withClient(place, async ({ call, failure }) => {
        expect(await call('import_conversations', { path, dryRun: true })).toMatchObject({
          added: 3,
        });
        expect(await call('import_conversations', { path })).toMatchObject({
          added: 3,
          skipped: 1,
          problemsTotal: 1,
        });
        const found = await call('search_messages', { query: 'larch' });
        expect(found['total']).toBe(1);
        const text = '## User\n\nWhere is the spade?\n\n## Assistant\n\nIn the shed.\n';
        expect(await call('import_conversations', { text, name: 'spade.md' })).toMatchObject({
          sources: [{ kind: 'markdown' }],
        });
        expect((await call('search_messages', { query: '"in the shed"' }))['total']).toBe(1);
        expect(await failure('import_conversations', { path, text })).toMatchObject({
          code: 'VALIDATION_ERROR',
        });
      });
    });
  });
});

it('a server that imports the logs of a tool tells assistants not to save its sessions', async () => {
  await withPlace(async (place) => {
    const env = { ...place.env, DAYBOOK_IMPORT_WATCH: 'codex' };
    await withClient({ ...place, env }, async ({ client }) => {
      expect(client.getInstructions()).toContain('The sessions of codex are imported');
    });
  });
});
