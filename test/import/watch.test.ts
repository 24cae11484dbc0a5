/** A watch: sessions are imported as they grow, and unchanged files are not read again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import { Importer } from '../../src/import/importer.js';
import { findDefaultLocations } from '../../src/import/tool-logs/default-locations.js';
import { ImportedFiles } from '../../src/import/tool-logs/imported-files.js';
import { startServerWatch } from '../../src/import/tool-logs/watch-in-server.js';
import { watchImports } from '../../src/import/tool-logs/watch-rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import { folderWith, lines, openImportBench, said } from './bench.js';

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');

const line = (uuid: string, parentUuid: string | null, content: string) => ({
  type: 'user',
  uuid,
  parentUuid,
  sessionId: 'session-1',
  message: { role: 'user', content },
  timestamp: '2026-01-02T10:00:00.000Z',
});

it('a watch imports what is added to a session, and keeps it when the session is deleted', async () => {
  const bench = await openImportBench();
  const one = `${lines(line('u1', null, 'one'))}no JSON\n`;
  const folder = folderWith({ 'projects/x/session-1.jsonl': one });
  const file = join(folder, 'projects/x/session-1.jsonl');
  const machine = { home: folder, programs: folder, variable: () => undefined };
  const importer = new Importer({
    ...bench.stores,
    machine,
    activity: 'short',
    watched: [],
    folders: [],
    excluded: [],
  });
  const stop = new AbortController();
  const seen: string[] = [];
  const errors: string[] = [];
  const problemCounts: number[] = [];
  let rounds = 0;
  await watchImports(importer, {
    paths: async () => [folder],
    areFound: false,
    everyMs: 1,
    signal: stop.signal,
    onError: ({ message }) => void errors.push(message),
    onRound: ({ added, updated, unchanged, problems }) => {
      rounds += 1;
      seen.push(`${added} ${updated} ${unchanged}`);
      problemCounts.push(problems.length);
      if (rounds === 2) appendFileSync(file, lines(line('u2', 'u1', 'two')));
      if (rounds === 3) {
        rmSync(file);
        appendFileSync(
          join(folder, 'projects/x/other.jsonl'),
          lines({ ...line('v1', null, 'new'), sessionId: 'session-2' }),
        );
      }
      if (rounds === 4) stop.abort();
    },
  });
  expect(errors).toEqual([]);
  expect(seen.slice(0, 3)).toEqual(['1 0 0', '0 0 0', '0 1 0']);
  expect(problemCounts.slice(0, 3)).toEqual([1, 0, 0]);
  expect(said(bench.bySource('session-1'))).toEqual(['user: one', 'user: two']);
});

/** A session of Claude Code, and an importer that watches it. */
async function openWatched() {
  const bench = await openImportBench();
  const home = folderWith({ '.claude/projects/x/session-1.jsonl': lines(line('u1', null, 'one')) });
  const machine = { home, programs: home, variable: () => undefined };
  const importer = new Importer({
    ...bench.stores,
    machine,
    activity: 'short',
    watched: ['claude-code'],
    folders: [],
    excluded: [],
  });
  const leasePath = join(bench.logsFolder, '.leases', 'import-watch');
  const options = { importer, leasePath, log: silentLog, everyMs: 5, firstAfterMs: 0 };
  return { bench, home, importer, leasePath, options };
}

it('one server at a time imports watched sessions, and another one continues', async () => {
  const { bench, home, importer, leasePath, options } = await openWatched();
  const file = join(home, '.claude/projects/x/session-1.jsonl');
  mkdirSync(join(home, '.codex'));
  expect((await importer.watched()).map(({ title }) => title)).toEqual(['Claude Code']);
  const first = startServerWatch(options);
  await vi.waitFor(() => expect(bench.bySource('session-1')).toBeDefined(), 60_000);
  const second = startServerWatch(options);
  await first.close();
  appendFileSync(file, lines(line('u2', 'u1', 'two')));
  await vi.waitFor(() => expect(said(bench.bySource('session-1'))).toHaveLength(2), 60_000);
  await second.close();
  expect(existsSync(`${leasePath}.lock`)).toBe(false);
  appendFileSync(file, lines(line('u3', 'u2', 'three')));
  expect(said(bench.bySource('session-1'))).toHaveLength(2);
});

it('a server reads no logs again that an earlier one imported, if the store is as it was', async () => {
  const { bench, home, options } = await openWatched();
  const folder = join(home, '.claude/projects/x');
  const file = join(folder, 'session-1.jsonl');
  const path = join(tempFolder(), 'index', 'x.imports.bin');
  const { conversations } = bench.stores;
  const settings = { activity: 'short', excluded: [], watched: ['claude-code'] } as const;
  const imported = new ImportedFiles({ path, conversations, settings, log: silentLog });
  const run = async (until: () => void, given: ImportedFiles | undefined = imported) => {
    const watch = startServerWatch({ ...options, imported: given });
    await vi.waitFor(until, 60_000);
    await watch.close();
  };
  const [first, second] = [lines(line('u1', null, 'one')), lines(line('u2', 'u1', 'two'))];
  const time = new Date('2026-01-02T00:00:00Z');
  writeFileSync(file, first + '\n'.repeat(second.length));
  utimesSync(file, time, time);
  await run(() => expect(existsSync(path)).toBe(true));
  expect((await imported.load()).size).toBe(1);
  // The same size and time: only a server that does not know the file reads it.
  writeFileSync(file, first + second);
  utimesSync(file, time, time);
  const other = { ...line('v1', null, 'other'), sessionId: 'session-2' };
  writeFileSync(join(folder, 'session-2.jsonl'), lines(other));
  await run(() => expect(bench.bySource('session-2')).toBeDefined());
  expect(said(bench.bySource('session-1'))).toEqual(['user: one']);
  await vi.waitFor(async () => expect((await imported.load()).size).toBe(2), 60_000);
  const otherSettings = { ...settings, excluded: ['/x'] };
  const excluding = { path, conversations, settings: otherSettings, log: silentLog };
  expect((await new ImportedFiles(excluding).load()).size).toBe(0);
  const [id = ''] = bench.folders();
  await conversations.trash(id);
  expect((await imported.load()).size).toBe(0);
  await conversations.restore(id);
  expect((await imported.load()).size).toBe(2);
  // An import of something else, as by the hook of a client, changes nothing.
  await bench.import(
    folderWith({ 'projects/y/s3.jsonl': lines({ ...other, sessionId: 's3', uuid: 'w1' }) }),
  );
  expect((await imported.load()).size).toBe(2);
  truncateSync(path, 40);
  expect((await imported.load()).size).toBe(0);
  await run(() => expect(said(bench.bySource('session-1'))).toEqual(['user: one', 'user: two']));
});

it('an error that is a bug does not end the watch of a server', async () => {
  const { bench, importer, options } = await openWatched();
  vi.spyOn(importer, 'run').mockRejectedValueOnce(new TypeError('a bug'));
  vi.spyOn(importer, 'watched').mockRejectedValueOnce(new TypeError('another bug'));
  const watch = startServerWatch(options);
  await vi.waitFor(() => expect(bench.bySource('session-1')).toBeDefined(), 60_000);
  await watch.close();
});

it('a server that ends does not wait for the lease of another one whose clock is ahead', async () => {
  const { leasePath, options } = await openWatched();
  mkdirSync(`${leasePath}.lock`, { recursive: true });
  writeFileSync(`${leasePath}.owner`, '0123abcd-4026531836-812-55512-a1b2c31');
  const nextYear = Date.now() / 1000 + 365 * 86_400;
  utimesSync(`${leasePath}.lock`, nextYear, nextYear);
  const warn = vi.fn();
  const watch = startServerWatch({ ...options, log: { ...silentLog, warn } });
  await sleep(200); // until it waits for the lease
  await watch.close();
  expect(existsSync(`${leasePath}.lock`)).toBe(true); // it would be removed after the wait
  expect(warn).not.toHaveBeenCalled();
});

it.runIf(process.platform === 'linux')('a lost lease leaves no folder open', async () => {
  const { bench, home, leasePath, options } = await openWatched();
  const openLeases = () =>
    readdirSync('/proc/self/fd').filter((file) => {
      const link = `/proc/self/fd/${file}`;
      return existsSync(link) && readlinkSync(link) === dirname(leasePath);
    }).length;
  const watch = startServerWatch(options);
  await vi.waitFor(() => expect(bench.bySource('session-1')).toBeDefined(), 60_000);
  rmSync(`${leasePath}.owner`);
  appendFileSync(join(home, '.claude/projects/x/session-1.jsonl'), lines(line('u2', 'u1', 'two')));
  await vi.waitFor(() => expect(existsSync(`${leasePath}.owner`)).toBe(true), 60_000);
  await vi.waitFor(() => expect(said(bench.bySource('session-1'))).toHaveLength(2), 60_000);
  await watch.close();
  expect(openLeases()).toBe(0);
});

it('a tool is found only if it stored conversations, not if there are only its settings', async () => {
  const home = folderWith({ '.claude/settings.json': '{}', '.codex/config.toml': '' });
  const machine = { home, programs: home, variable: () => undefined };
  const kinds = async () => (await findDefaultLocations(machine)).map(({ kind }) => kind);
  expect(await kinds()).toEqual([]);
  writeFileSync(join(home, '.claude/history.jsonl'), '');
  mkdirSync(join(home, '.codex/sessions'));
  expect(await kinds()).toEqual(['claude-code', 'codex']);
});

it('a tool whose folder cannot be inspected is reported, and the others are imported', async () => {
  const home = folderWith({ '.claude/projects/x/session-1.jsonl': lines(line('u1', null, 'one')) });
  symlinkSync('.codex', join(home, '.codex')); // a link to itself
  const machine = { home, programs: home, variable: () => undefined };
  const paths = (await findDefaultLocations(machine)).map(({ path }) => path);
  expect(paths).toEqual([join(home, '.claude'), join(home, '.codex')]);
  const bench = await openImportBench();
  const report = await bench.import(paths.reverse(), { areFound: true });
  expect(report).toMatchObject({
    added: 1,
    problems: [{ path: join(home, '.codex'), code: 'FILESYSTEM_ERROR' }],
  });
});

it('a server with DAYBOOK_IMPORT_WATCH imports new messages by itself', async () => {
  const home = folderWith({ '.claude/projects/x/session-1.jsonl': lines(line('u1', null, 'one')) });
  const logs = join(home, 'root/conversation-logs');
  const server = spawn(process.execPath, [MAIN, 'serve', '--root', join(home, 'root')], {
    env: { ...process.env, HOME: home, DAYBOOK_IMPORT_WATCH: 'claude-code' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(server, 'exit');
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  server.stdin.write(lines(hello, { jsonrpc: '2.0', method: 'notifications/initialized' }));
  const conversations = () =>
    existsSync(logs) ? readdirSync(logs).filter((name) => !name.startsWith('.')) : [];
  await vi.waitFor(() => expect(conversations()).toHaveLength(1), {
    timeout: 60_000,
    interval: 50,
  });
  server.stdin.end();
  expect(await ended).toEqual([0, null]);
});

it('a watch reports nothing about a tool without sessions', async () => {
  const bench = await openImportBench();
  const home = folderWith({ '.codex/config.toml': '' });
  const report = await bench.import(join(home, '.codex'), { areFound: true });
  expect(report.problems).toEqual([]);
  expect(report.leftOut).toEqual({ 'tools without conversations that Daybook can read': 1 });
});

it('a watch imports no prompt of the history whose session exists but was not read again', async () => {
  const bench = await openImportBench();
  const resumed = { ...line('u2', 'u1', 'two'), sessionId: 'session-2' };
  const prompts = [
    { display: 'one', timestamp: 1_767_348_000_000 },
    { display: 'two', timestamp: 1_767_348_000_000, sessionId: 'session-2' },
  ];
  const folder = folderWith({
    'projects/x/session-1.jsonl': lines(line('u1', null, 'one')),
    'projects/x/session-2.jsonl': lines(line('u1', null, 'one'), resumed),
    'history.jsonl': lines(...prompts),
  });
  expect(await bench.import(folder)).toMatchObject({ added: 1 });
  const isKnown = ({ name }: { name: string }) => name !== 'history.jsonl';
  expect(await bench.import(folder, { isKnown })).toMatchObject({ added: 0, updated: 0 });
  expect(bench.folders()).toHaveLength(1);
});
