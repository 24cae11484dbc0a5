/** The commands export, backup and restore, and their tools, with the built command. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownerName } from '../../src/files/locks/process-identity.js';
import { runInTerminal } from '../support/terminal.js';
import { type Place, runCommand, withClient, withPlace } from './harness.js';

const run = (place: Place, root: string, ...args: string[]) =>
  runCommand(place, ['--root', root, ...args]);
const conversationIn = (root: string, id: string) =>
  readFile(join(root, 'conversation-logs', id, 'conversation.json'), 'utf8');

async function withSaved(work: (place: Place, id: string) => Promise<void>): Promise<void> {
  await withPlace(async (place) => {
    const id = await withClient(place, async ({ call }) => {
      await call('save_message', { conversationId: 'tea', role: 'user', content: 'お茶' });
      const saved = await call('save_message', {
        conversationId: 'tea',
        role: 'assistant',
        content: 'With pleasure.',
      });
      return String(saved['conversationId']);
    });
    await work(place, id);
  });
}

describe('daybook export and restore', () => {
  it('write the format of the name of the file, and restore JSON Lines under any name', async () => {
    await withSaved(async (place) => {
      const starts = { 'a b.md': /^#/, 'a.json': /^\{\s*"format"/, 'a.jsonl': /^\{"thread"/ };
      for (const [name, start] of Object.entries(starts)) {
        const file = join(place.folder, name);
        expect((await run(place, place.root, 'export', '-o', file)).code).toBe(0);
        expect(await readFile(file, 'utf8')).toMatch(start);
      }
      const lines = join(place.folder, 'lines.md');
      await run(place, place.root, 'export', '-f', 'jsonl', '-o', lines);
      const other = join(place.folder, 'other');
      await mkdir(other);
      const imported = await run(place, other, 'import', lines, '--yes');
      expect(imported.stdout).toContain('1 conversation added');
    });
  });

  it('write to the standard output for -o -, and report if no conversation has the module', async () => {
    await withSaved(async (place) => {
      const piped = await run(place, place.root, 'export', '-o', '-');
      expect(piped.stdout).toBe((await run(place, place.root, 'export')).stdout);
      expect(piped.stdout).toContain('With pleasure.');
      const none = await run(place, place.root, 'export', '--module', 'nosuch');
      expect(none).toMatchObject({ code: 1, stdout: '' });
      expect(none.stderr).toContain('No conversation has the module nosuch');
      const file = join(place.folder, 'none.jsonl');
      for (const format of ['jsonl', 'markdown-files']) {
        const args = ['export', '--module', 'nosuch', '-f', format, '-o', file];
        expect(await run(place, place.root, ...args)).toMatchObject({ code: 1, stdout: '' });
        expect(existsSync(file)).toBe(false);
      }
    });
  });

  it.each(['json', 'jsonl'])('copy a conversation to another root (%s)', async (format) => {
    await withSaved(async (place, id) => {
      const file = join(place.folder, 'out.txt');
      expect((await run(place, place.root, 'export', '-f', format, '-o', file)).code).toBe(0);
      expect((await run(place, place.root, 'export', '-o', file)).code).toBe(2);
      const piped = await run(place, place.root, 'export', 'tea', '-f', format);
      const timeless = (text: string) => text.replace(/"exportedAt": .*/, '');
      expect(timeless(piped.stdout)).toBe(timeless(await readFile(file, 'utf8')));
      const other = join(place.folder, 'other');
      const dry = await run(place, other, 'restore', file, '--dry-run');
      expect(dry.stdout).toContain('1 to be restored');
      expect((await run(place, other, 'restore', file)).code).toBe(0);
      expect(await conversationIn(other, id)).toBe(await conversationIn(place.root, id));
      const again = await run(place, other, 'restore', file);
      expect(again).toMatchObject({ code: 0, stderr: '' });
      await writeFile(join(other, 'conversation-logs', id, 'conversation.json'), '{"messages":[]}');
      const refused = await run(place, other, 'restore', file);
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toContain('ALREADY_EXISTS');
      expect((await run(place, other, 'restore', file, '--as-new')).code).toBe(0);
      expect(
        (await readdir(join(other, 'conversation-logs'))).filter((n) => /^\d/.test(n)),
      ).toHaveLength(2);
    });
  });

  it('restore a deleted conversation by its key', async () => {
    await withSaved(async (place, id) => {
      const trash = join(place.root, 'conversation-logs', '.trash');
      await mkdir(trash, { recursive: true });
      await rename(join(place.root, 'conversation-logs', id), join(trash, id));
      const restored = await run(place, place.root, 'restore', 'tea');
      expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining(id)]);
    });
  });

  it('restore a conversation whose key or title ends in .md, if no note has this path', async () => {
    await withPlace(async (place) => {
      await mkdir(place.root);
      const names = ['--conversation-id', 'plan.md', '--title', 'Review of README.md'];
      await run(place, place.root, 'save', 'user', 'text', ...names);
      await run(place, place.root, 'mb', 'add', 'plan.md', 'note');
      await run(place, place.root, 'mb', 'delete', 'plan.md');
      for (const [how, name, shown] of [
        [['trash', 'restore'], 'plan.md', 'memory-bank'],
        [['trash', 'restore'], 'plan.md', 'conversation-logs'],
        [['restore'], 'Review of README.md', 'conversation-logs'],
      ] as const) {
        await run(place, place.root, 'delete', 'plan.md');
        const { code, stdout } = await run(place, place.root, ...how, name);
        expect([code, stdout.includes(shown)]).toEqual([0, true]);
      }
      expect((await run(place, place.root, 'restore', 'nothing.md')).code).toBe(1);
    });
  });

  it('distinguish a key that is a UUID from the id of an insight', async () => {
    await withPlace(async (place) => {
      const key = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';
      const save = ['save', 'user', 'Sow peas', '--conversation-id', key];
      await mkdir(place.root);
      expect((await run(place, place.root, ...save)).code).toBe(0);
      const logs = join(place.root, 'conversation-logs');
      const [id = ''] = (await readdir(logs)).filter((name) => /^\d/.test(name));
      await mkdir(join(logs, '.trash'), { recursive: true });
      await rename(join(logs, id), join(logs, '.trash', id));
      const restored = await run(place, place.root, 'restore', key);
      expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining(id)]);
      const insight = await run(place, place.root, 'restore', key);
      expect([insight.code, insight.stderr]).toEqual([2, expect.stringContaining('insight')]);
    });
  });

  it('restore a deleted conversation', async () => {
    await withSaved(async (place, id) => {
      const trash = join(place.root, 'conversation-logs', '.trash');
      const before = await conversationIn(place.root, id);
      await mkdir(trash, { recursive: true });
      await rename(join(place.root, 'conversation-logs', id), join(trash, id));
      expect((await run(place, place.root, 'restore', id)).code).toBe(0);
      expect(await conversationIn(place.root, id)).toBe(before);
      expect((await run(place, place.root, 'restore', id)).code).toBe(1);
      const nothing = await run(place, place.root, 'restore', 'no-such-thing');
      expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('is not a file')]);
      expect((await run(place, place.root, 'restore', id, '--dry-run')).code).toBe(2);
    });
  });
});

describe('daybook backup and restore', () => {
  it('find a backup in the given folder, and show the progress', async () => {
    await withSaved(async (place, id) => {
      const made = await run(place, place.root, 'backup');
      const path = made.stdout.split('\n')[0] ?? '';
      await rm(join(place.root, 'conversation-logs', id), { recursive: true });
      const shown = await runInTerminal(place, [
        ...['--root', place.root, 'restore', `backups/${basename(path)}`],
      ]);
      expect(shown.code, shown.screen).toBe(0);
      expect(shown.screen).toMatch(/\d files/);
      expect(await conversationIn(place.root, id)).toContain('お茶');
      const byName = await run(place, place.root, 'restore', basename(path));
      expect(byName).toMatchObject({ code: 0, stderr: '' });
      const nowhere = await run(place, place.root, 'restore', 'nowhere.tar.gz');
      expect(nowhere.code).toBe(1);
      expect(nowhere.stderr).toContain(join(place.root, 'backups'));
    });
  });

  it('restore files that were lost, and change no other file', async () => {
    await withSaved(async (place, id) => {
      await mkdir(join(place.root, 'memory-bank'), { recursive: true });
      await writeFile(join(place.root, 'memory-bank', 'ノート.md'), '# one\n');
      const made = await run(place, place.root, 'backup');
      expect(made).toMatchObject({ code: 0, stderr: '' });
      const path = made.stdout.split('\n')[0] ?? '';
      expect(path).toMatch(/root\/backups\/daybook-\d{8}T\d{6}Z-[0-9a-f]{8}\.tar\.gz$/);
      const before = await conversationIn(place.root, id);
      await rm(join(place.root, 'conversation-logs', id), { recursive: true });
      await writeFile(join(place.root, 'memory-bank', 'ノート.md'), '# two\n');
      const restored = await run(place, place.root, 'restore', path);
      expect(restored.code).toBe(1);
      expect(restored.stderr).toContain('memory-bank/ノート.md: ALREADY_EXISTS');
      expect(await conversationIn(place.root, id)).toBe(before);
      const elsewhere = join(place.folder, 'elsewhere');
      expect((await run(place, place.root, 'restore', path, '--to', elsewhere)).code).toBe(0);
      expect(await readFile(join(elsewhere, 'memory-bank', 'ノート.md'), 'utf8')).toBe('# one\n');
      const bytes = await readFile(path);
      await writeFile(join(place.folder, 'bad.tar.gz'), bytes.subarray(0, bytes.length - 20));
      const bad = await run(
        place,
        join(place.folder, 'new'),
        'restore',
        join(place.folder, 'bad.tar.gz'),
      );
      expect(bad.code).toBe(2);
      expect(bad.stderr).toContain('damaged');
    });
  });

  it('include a graph in another folder, and the settings without secrets', async () => {
    await withPlace(async (place) => {
      const graph = join(place.folder, 'graph');
      const env = {
        ...place.env,
        MCP_KG_SNAPSHOT: join(graph, 'work.json'),
        MCP_KG_WAL: join(graph, 'work_wal.log'),
        PERPLEXITY_API_KEY: 'pplx-secret',
        PERPLEXITY_BASE_URL: 'https://example.org/gateway',
      };
      const moved = { ...place, env };
      await withClient(moved, async ({ call }) => {
        await call('kg_add', { subject: 'tea', predicate: 'grows in', object: 'Uji' });
      });
      const made = await run(moved, place.root, 'backup');
      expect(made).toMatchObject({ code: 0, stderr: '' });
      const path = made.stdout.split('\n')[0] ?? '';
      const log = await readFile(join(graph, 'work_wal.log'), 'utf8');
      await rm(graph, { recursive: true });
      const restored = await run(moved, place.root, 'restore', path);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      expect(restored.stdout).toContain('settings in the backup were not restored');
      expect(await readFile(join(graph, 'work_wal.log'), 'utf8')).toBe(log);
      expect(await readdir(join(place.folder, 'config', 'daybook')).catch(() => [])).toEqual([]);
      const elsewhere = join(place.folder, 'elsewhere');
      expect((await run(moved, place.root, 'restore', path, '--to', elsewhere)).code).toBe(0);
      const extracted = (name: string) => readFile(join(elsewhere, name), 'utf8');
      expect(await extracted('knowledge-graph/kg_wal.log')).toBe(log);
      const settings = await extracted('configuration/config.json');
      expect(JSON.parse(settings)).toMatchObject({
        kgSnapshot: env.MCP_KG_SNAPSHOT,
        perplexityBaseUrl: env.PERPLEXITY_BASE_URL,
      });
      expect(settings).not.toContain('pplx');
    });
  });

  it('restore a graph to the folder that the present settings name', async () => {
    await withPlace(async (place) => {
      await withClient(place, async ({ call }) => {
        await call('kg_add', { subject: 'tea', predicate: 'grows in', object: 'Uji' });
      });
      const path = (await run(place, place.root, 'backup')).stdout.split('\n')[0] ?? '';
      const bank = join(place.root, 'memory-bank');
      const log = await readFile(join(bank, 'kg_wal.log'), 'utf8');
      await rm(bank, { recursive: true });
      const graph = join(place.folder, 'graph');
      const moved = {
        MCP_KG_SNAPSHOT: join(graph, 'work.json'),
        MCP_KG_WAL: join(graph, 'work_wal.log'),
      };
      const elsewhere = { ...place, env: { ...place.env, ...moved } };
      expect(await run(elsewhere, place.root, 'restore', path)).toMatchObject({
        code: 0,
        stderr: '',
      });
      expect(await readFile(moved.MCP_KG_WAL, 'utf8')).toBe(log);
      expect(await readdir(bank)).not.toContain('kg_wal.log');
    });
  });

  it('include the list of language models, without a key that is written in the list', async () => {
    await withSaved(async (place) => {
      const set = ['providers', 'add', '--yes', 'mine', '--kind', 'openai', '--model', 'small'];
      expect((await run(place, place.root, ...set)).code).toBe(0);
      const list = join(place.folder, 'config', 'daybook', 'providers.json');
      const { providers } = JSON.parse(await readFile(list, 'utf8'));
      const endpoint = 'https://me:sk-endpoint@example.org/v1?key=sk-query#sk-fragment';
      const byHand = { ...providers[0], apiKey: 'sk-field', endpoint };
      await writeFile(list, JSON.stringify({ providers: [byHand], note: 'sk-note' }));
      const path = (await run(place, place.root, 'backup')).stdout.split('\n')[0] ?? '';
      const to = join(place.folder, 'out');
      expect((await run(place, place.root, 'restore', path, '--to', to)).code).toBe(0);
      const text = await readFile(join(to, 'configuration', 'providers.json'), 'utf8');
      expect(text).not.toContain('sk-');
      expect(JSON.parse(text).providers).toMatchObject([
        { name: 'mine', endpoint: 'https://example.org/v1' },
      ]);
    });
  });

  it('run once a day without a command if this is switched on', async () => {
    await withSaved(async (place) => {
      const folder = join(place.folder, 'my backups');
      const env = { ...place.env, DAYBOOK_BACKUP: 'daily', DAYBOOK_BACKUP_DIR: folder };
      const archives = async () =>
        (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.tar.gz'));
      await withClient({ ...place, env }, async ({ call }) => {
        await call('store_info');
        for (let n = 0; n < 1200 && (await archives()).length === 0; n += 1) {
          await new Promise((resume) => setTimeout(resume, 50));
        }
      });
      await withClient({ ...place, env }, ({ call }) => call('store_info'));
      expect(await archives()).toHaveLength(1);
    });
  });
});

describe('the tools for exports and backups', () => {
  it('export as text and as a file, and make a backup', async () => {
    await withSaved(async (place, id) => {
      const env = { ...place.env, DAYBOOK_TOOLSETS: 'all' };
      await withClient({ ...place, env }, async ({ call, failure }) => {
        const page = await call('export_conversations', { conversationIds: ['tea'] });
        expect(page).toMatchObject({ conversations: 1, messages: 2, total: 1, hasMore: false });
        expect(page['text']).toContain('お茶');
        const file = await call('export_conversations', { format: 'jsonl', file: 'tea.jsonl' });
        expect(file['path']).toBe(join(place.root, 'exports', 'tea.jsonl'));
        expect(await readFile(String(file['path']), 'utf8')).toContain(id);
        const input = { format: 'jsonl', file: 'tea.jsonl' };
        expect((await failure('export_conversations', input)).code).toBe('ALREADY_EXISTS');
        for (const wrong of [{ cursor: 'x' }, { file: 'a', cursor: id }, { startDate: 'soon' }]) {
          expect((await failure('export_conversations', wrong)).code).toBe('VALIDATION_ERROR');
        }
        const made = await call('backup');
        expect(made).toMatchObject({ leftOut: [], removed: [] });
        expect(String(made['path'])).toContain(join(place.root, 'backups'));
      });
    });
  });
});

it('a server removes at its start what killed processes left in the folders of the root', () =>
  withPlace(async (place) => {
    const dead = `.tmp-${ownerName().replace(`-${process.pid}-`, '-4194304-')}-deadbeef`;
    const folders = ['conversation-logs', 'memory-bank/ideas', 'archive', 'backups', 'exports'];
    const left = folders.map((folder) => join(place.root, folder, dead));
    for (const path of left) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, 'half');
    }
    await withClient(place, async ({ call }) => {
      while (left.some((path) => existsSync(path))) await call('store_info');
    });
  }));
