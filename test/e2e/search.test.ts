/**
 * Searches with the built server by an MCP client, and with `daybook search` by a user or a script, also on a
 * real terminal.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MATCH_TYPES } from '../../src/fts/query/match-type-names.js';
import { ROLES } from '../../src/stores/conversations/document/schema.js';
import { idOf, put, sample } from '../search/search-place.js';
import { type Place, runCommand, type Session, withClient, withPlace } from './harness.js';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const logsOf = ({ root }: Place) => join(root, 'conversation-logs');

async function totalSoon(session: Session, query: string, total: number): Promise<number> {
  const from = performance.now();
  for (;;) {
    const found = await session.call('search_messages', { query });
    if (found['total'] === total) return performance.now() - from;
    if (performance.now() - from > 60_000) throw new Error(`${query}: ${found['total']}`);
    await delay(20);
  }
}

describe('search_messages with a client', () => {
  it('finds a new message, in the same server at once and in another server soon', async () => {
    await withPlace((place) =>
      withClient(place, (one) =>
        withClient(place, async (two) => {
          await two.call('search_messages', { query: 'nothing' });
          const saved = await one.call('save_message', {
            role: 'user',
            content: 'What is the capital of France?',
          });
          const found = await one.call('search_messages', { query: 'capital France' });
          expect(found).toMatchObject({
            total: 1,
            results: [{ conversationId: saved['conversationId'] }],
          });
          const tookMs = await totalSoon(two, 'capital France', 1);
          console.log(`  seen by the other server after ${tookMs.toFixed(0)} ms`);
        }),
      ),
    );
  });

  it('follows hand edits and shows the state of the index in store_info', async () => {
    await withPlace(async (place) => {
      put(logsOf(place), idOf(1), sample(1));
      await withClient(place, async (session) => {
        await totalSoon(session, 'common', 4);
        put(logsOf(place), idOf(1), { ...sample(1), title: 'edited by hand' });
        await totalSoon(session, 'title : hand', 4);
        await expect
          .poll(() => session.call('store_info'))
          .toMatchObject({
            index: { isBuilt: true, messages: 4 },
            watching: { mode: 'watching', errors: 0 },
          });
        const error = await session.failure('search_messages', { query: '"x', matchType: 'fts5' });
        expect(error).toMatchObject({ code: 'QUERY_SYNTAX', details: { position: 0 } });
      });
    });
  });

  it('keeps a cache in the user folder by default', async () => {
    await withPlace(async (place) => {
      for (let n = 0; n < 30; n += 1) put(logsOf(place), idOf(n), sample(n, 80));
      const folder = join(place.folder, 'cache', 'daybook', 'index');
      const env = { ...place.env, XDG_CACHE_HOME: join(place.folder, 'cache') };
      const off = { ...place, env: { ...env, DAYBOOK_INDEX_CACHE: '0' } };
      await withClient(off, (session) => totalSoon(session, 'common', 2400));
      expect(existsSync(folder)).toBe(false);
      await withClient({ ...place, env }, (session) => totalSoon(session, 'common', 2400));
      const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.bin'));
      expect(readFileSync(join(folder, name)).toString('latin1', 0, 64)).toContain('GSBD');
      await withClient({ ...place, env }, (session) => totalSoon(session, 'common', 2400));
      writeFileSync(join(folder, name), 'broken');
      await withClient({ ...place, env }, (session) => totalSoon(session, 'common', 2400));
    });
  });
});

describe('daybook search', () => {
  const withStore = (
    work: (
      place: Place,
      run: (...args: string[]) => ReturnType<typeof runCommand>,
    ) => Promise<void>,
  ) =>
    withPlace(async (place) => {
      for (let n = 0; n < 5; n += 1) put(logsOf(place), idOf(n), sample(n));
      await work(place, (...args) => runCommand(place, ['--root', place.root, 'search', ...args]));
    });

  it('prints results without colours to a pipe, and ends with 0', async () => {
    await withStore(async (_, run) => {
      const { code, stdout, stderr } = await run('garden', 'said2');
      expect(code).toBe(0);
      expect(stdout).toContain(`${idOf(0)} #3 user 2025-01-01 00:02  The garden number0`);
      expect(stdout).toContain('common words about the garden said2 in talk0');
      for (const mark of ['\u001b', '\ue000', '\ue001']) expect(stdout).not.toContain(mark);
      expect(stderr).toContain('1 to 1 of 1');
    });
  });

  it('shows the messages around each result with --context', async () => {
    await withStore(async (_, run) => {
      const { code, stdout } = await run('garden', 'said2', '--context', '1');
      expect(code).toBe(0);
      const [facts = '', before = '', found = '', after = '', ...more] = stdout.trim().split('\n');
      expect(facts).toContain(`${idOf(0)} #3 user`);
      expect(before).toMatch(/^ {4}#2 assistant: .*said1/);
      expect(found).toContain('said2');
      expect(after).toMatch(/^ {4}#4 assistant: .*said3/);
      expect(more).toEqual([]);
      const atEnd = await run('garden', 'said3', '-C', '9');
      expect(atEnd.stdout.match(/^ {4}#\d/gm)).toHaveLength(3);
    });
  });

  it('ends with 1 if nothing was found and with 2 after an error', async () => {
    await withStore(async (place, run) => {
      const nothing = await run('wombat');
      expect(nothing).toMatchObject({ code: 1, stdout: '' });
      expect(nothing.stderr).toContain('wombat');
      expect(nothing.stderr).toContain('--match-type to "fuzzy"');
      const filtered = await run('common', '--from', '2099-01-01');
      expect(filtered).toMatchObject({ code: 1, stdout: '' });
      expect(filtered.stderr).toContain('without --from');
      expect(filtered.stderr).not.toContain('fuzzy');
      const byMeaning = await run('common', '--mode', 'hybrid');
      expect(byMeaning.stderr).toMatch(/daybook .*embeddings enable/);
      expect((await run('common')).stderr).not.toMatch(/fuzzy|embeddings/);
      const nobody = await run('common', '--conversation', 'nobody');
      expect(nobody).toMatchObject({ code: 1, stdout: '' });
      for (const args of [
        ['(common', '--match-type', 'fts5'],
        ['common', '--match-type', 'guess'],
        ['common', '--limit', '0'],
        ['common', '--limit', 'many'],
        ['common', '--context', '11'],
        ['common', '--from', 'yesterday'],
        ['common', '--nope'],
        [],
      ]) {
        const { code, stdout, stderr } = await run(...args);
        expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
        expect(stderr).not.toBe('');
      }
      put(logsOf(place), idOf(3), '{ damaged');
      const partly = await run('common');
      expect(partly.code).toBe(1);
      expect(partly.stderr).toContain(idOf(3));
    });
  });

  it('has the same match types and roles as the tool', async () => {
    await withStore(async (_, run) => {
      const { code, stdout } = await run('--help');
      expect(code).toBe(0);
      for (const choice of [...MATCH_TYPES, ...ROLES]) expect(stdout).toContain(`"${choice}"`);
    });
  });

  it('has filters, pages and JSON output', async () => {
    await withStore(async (_, run) => {
      const args = ['common', '--module', 'home', '--role', 'user', '--limit', '4', '--json'];
      const { code, stdout } = await run(...args);
      expect(code).toBe(0);
      const found = JSON.parse(stdout);
      expect(found).toMatchObject({ success: true, total: 6, hasMore: true, nextOffset: 4 });
      expect(found.results).toHaveLength(4);
      const rest = JSON.parse((await run(...args, '--offset', '4')).stdout);
      expect(rest.results).toHaveLength(2);
      const dated = ['common', '--from', '2025-01-02', '--to', '2025-01-02', '--json'];
      expect(JSON.parse((await run(...dated)).stdout).total).toBe(4);
      const none = await run('wombat', '--json');
      expect(none.code).toBe(1);
      expect(JSON.parse(none.stdout)).toMatchObject({ total: 0, explanation: expect.any(String) });
    });
  });

  it('escapes control characters of stored texts, also on a terminal, and colours only matches', async (context) => {
    await withPlace(async (place) => {
      const evil = 'evil \u001b[31mred\u001b]0;title\u0007 \u009b2J \u202egnp.exe \u007f here';
      mkdirSync(place.root, { recursive: true });
      put(logsOf(place), idOf(0), {
        title: `T\u001b[2J`,
        messages: [{ role: 'user', content: evil }],
      });
      const args = ['--root', place.root, 'search', 'evil'];
      const piped = await runCommand(place, args);
      const json = await runCommand(place, [...args, '--json']);
      for (const { stdout } of [piped, json]) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the output must not have these characters
        expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
        expect(stdout).toContain('\\u001b[31mred');
      }
      expect(JSON.parse(json.stdout).results[0].snippet).toContain('\u001b[31mred');
      if (!existsSync('/usr/bin/script')) context.skip('this machine has no program script');
      const onTerminal = async (env: Record<string, string>) => {
        const command = [process.execPath, MAIN, ...args].map((part) => `'${part}'`).join(' ');
        const options = { env: { ...place.env, TERM: 'xterm-256color', ...env } };
        const run = promisify(execFile);
        return (await run('script', ['-qec', command, '/dev/null'], options)).stdout;
      };
      const coloured = await onTerminal({});
      expect(coloured).toContain('\u001b[1m\u001b[33mevil\u001b[39m\u001b[22m \\u001b[31mred');
      expect(coloured).not.toContain('\u001b[31m');
      expect(coloured).not.toContain('\u009b');
      const plain = await onTerminal({ NO_COLOR: '1' });
      expect(plain).toContain('evil \\u001b[31mred');
      expect(plain).not.toContain('\u001b[33m');
    });
  });
});
