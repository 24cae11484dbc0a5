/**
 * The example of the public API, as the program of somebody who installed the package: compiled
 * against its types with everything strict, and run.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createApp, loadConfig, openDaybook } from '../../src/index.js';
import { startEmbeddings } from '../support/embeddings-stand-in.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const env = { DAYBOOK_FSYNC: '0', DAYBOOK_INDEX_CACHE: '0' };

/** A project of somebody who installed the package, with one program; gives what it printed. */
async function compileAndRun(program: string, ...args: string[]) {
  const folder = tempFolder();
  await mkdir(join(folder, 'node_modules', '@types'), { recursive: true });
  await symlink(ROOT, join(folder, 'node_modules', 'daybook'));
  const types = join(ROOT, 'node_modules', '@types', 'node');
  await symlink(types, join(folder, 'node_modules', '@types', 'node'));
  await writeFile(join(folder, 'example.ts'), program);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const options = { strict: true, target: 'es2022', module: 'nodenext', types: ['node'] };
  const more = { exactOptionalPropertyTypes: true, noUnusedLocals: true, skipLibCheck: false };
  const compilerOptions = { ...options, ...more };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['example.ts'] }),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', folder]);
  const started = { cwd: folder, env: { ...env, HOME: folder } };
  const { stdout } = await run(process.execPath, ['example.js', ...args], started);
  return { folder, lines: stdout.trim().split('\n') };
}

describe('the example', () => {
  it('compiles, runs, and leaves files behind that people can read', async () => {
    const program = await readFile(join(ROOT, 'test/api/example.ts'), 'utf8');
    const { folder, lines } = await compileAndRun(program, 'my-daybook');
    expect(lines).toEqual([
      '2 messages',
      'user: Where should the <mark>tomatoes</mark> go?',
      'assistant: Along the <mark>south wall</mark>: they want six hours of sun.',
      'Clay soil: add sand and compost',
      '1 conversation',
      'CONVERSATION_NOT_FOUND false true',
    ]);
    const insights = join(folder, 'my-daybook', 'memory-bank', 'insights');
    const [insight = ''] = await readdir(insights);
    const text = await readFile(join(insights, insight), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ context: '/home/me/garden', tags: ['soil'] });
  });

  it('the program of docs/API.md compiles and runs as it stands', async () => {
    const document = await readFile(join(ROOT, 'docs/API.md'), 'utf8');
    const programs = [...document.matchAll(/```ts\n([\s\S]*?)```/g)].map(
      ([, program = '']) => program,
    );
    expect(programs).toHaveLength(1);
    const { lines } = await compileAndRun(programs[0] ?? '');
    expect(lines).toEqual(['user: Where should the <mark>tomatoes</mark> go?', '1 conversations']);
  });
});

describe('openDaybook', () => {
  const open = (root = tempFolder()) => openDaybook({ root, env: { ...env, HOME: root } });

  it('calls tools by new and old names, and reports what is wrong with a call', async () => {
    const daybook = await open();
    const saved = await daybook.call('save-insight', { content: 'by its old name' });
    expect(saved).toMatchObject({ success: true, context: process.cwd() });
    expect(await daybook.call('backup')).toMatchObject({ success: true }); // of a toolset that is off
    const code = async (call: Promise<unknown>) => (await errorOf(call)).code;
    expect(await code(daybook.call('no_such_tool'))).toBe('VALIDATION_ERROR');
    expect(await code(daybook.call('save_insight', { content: 'x' }))).toBe('VALIDATION_ERROR');
    expect(await code(daybook.search('"', { matchType: 'fts5' }))).toBe('QUERY_SYNTAX');
    const aborted = daybook.search('x', { signal: AbortSignal.abort() });
    expect(await code(aborted)).toBe('CANCELLED');
    await daybook.close();
  });

  it('refuses what the types of a search would not let through, and files contexts alike', async () => {
    const daybook = await open();
    await daybook.insights.save({ content: 'a rook', context: '/home/me/garden/' });
    const context = '/home/me/garden';
    expect((await daybook.searchInsights('rook', { context: `${context}//` })).total).toBe(1);
    // biome-ignore lint/suspicious/noExplicitAny: a program in JavaScript gives whatever it likes
    const wrong: any[] = [
      ...[{ matchType: 'best' }, { limit: -1 }, { limit: Number.NaN }, { limit: 0 }],
      ...[{ offset: -1 }, { offset: 0.5 }, { filters: 'user' }, { signal: {} }],
    ];
    for (const request of wrong) {
      expect((await errorOf(daybook.search('x', request))).code).toBe('VALIDATION_ERROR');
      const scoped = { context, ...request };
      expect((await errorOf(daybook.searchInsights('x', scoped))).code).toBe('VALIDATION_ERROR');
    }
    // biome-ignore lint/suspicious/noExplicitAny: the same
    const others: any[] = [{}, { context: 'garden' }, { context: 5 }, { context, tags: 'soil' }];
    for (const request of others) {
      expect((await errorOf(daybook.searchInsights('x', request))).code).toBe('VALIDATION_ERROR');
    }
    // biome-ignore lint/suspicious/noExplicitAny: the same
    expect((await errorOf(daybook.search(5 as any))).code).toBe('VALIDATION_ERROR');
    await daybook.close();
  });

  it('finds what another program saved in the same folder', async () => {
    const root = tempFolder();
    const [one, two] = [await open(root), await open(root)];
    expect((await two.search('raven')).total).toBe(0);
    await one.conversations.append('tea', [{ role: 'user', content: 'a raven' }], { create: {} });
    await one.insights.save({ content: 'a rook', context: 'global' });
    expect((await two.searchInsights('rook', { context: 'global' })).total).toBe(1);
    await expect.poll(async () => (await two.search('raven')).total).toBe(1);
    expect((await two.search('raven', { filters: { role: 'user' } })).total).toBe(1);
    await Promise.all([one.close(), two.close()]);
  });

  it('searches by meaning with vectors that others made, also since it was opened', async () => {
    const root = tempFolder();
    const { url } = await startEmbeddings();
    const model = { DAYBOOK_EMBEDDINGS_ENDPOINT: url, DAYBOOK_EMBEDDINGS_MODEL: 'm1' };
    const set = { ...env, ...model, HOME: root, DAYBOOK_EMBEDDINGS: 'openai' };
    const daybook = await openDaybook({ root, env: set });
    const query = { query: 'wood', mode: 'semantic' };
    const messages = [{ role: 'user', content: 'The bed is of larch.' }] as const;
    await daybook.conversations.create({ messages });
    expect(await daybook.call('search_messages', query)).toMatchObject({ total: 0 });
    const places = { cwd: root, knownToolsets: [], readFile: () => undefined };
    const other = await createApp(loadConfig({ env: set, flags: { root }, ...places }));
    await other.embeddings.embedAll(() => undefined, new AbortController().signal);
    await other.close();
    const found = await daybook.call('search_messages', query);
    expect(found).toMatchObject({ tier: 'vectors', results: [{ seq: 1 }] });
    await daybook.close();
  });

  it('refuses every call after its end, and ends once', async () => {
    const daybook = await open();
    const { conversations, insights } = daybook;
    const user = [{ role: 'user', content: 'a raven' }] as const;
    const begun = conversations.append('tea', user, { create: {} });
    await Promise.all([daybook.close(), daybook.close()]);
    await begun;
    const late = [
      () => conversations.append('tea', user),
      () => conversations.load('tea'),
      () => conversations.history.restore('tea', 1),
      () => conversations.edits.update('tea', 'no message', 'a rook', 'no hash'),
      () => insights.save({ content: 'a rook', context: 'global' }),
      () => daybook.search('raven'),
      () => daybook.searchInsights('rook', { context: 'global' }),
      () => daybook.call('save_message', { role: 'user', content: 'x' }),
    ];
    for (const call of late) expect((await errorOf(call())).code).toBe('CONFLICT');
    expect(conversations.path('20250124-1706102400123')).toContain(daybook.root);
    const again = await open(daybook.root);
    expect((await again.conversations.load('tea')).messages).toHaveLength(1);
    expect((await again.searchInsights('rook', { context: 'global' })).total).toBe(0);
    await again.close();
  });

  it('refuses a setting that is wrong, and finishes at its end what was begun', async () => {
    const wrong = openDaybook({ root: tempFolder(), env: { DAYBOOK_MAX_MESSAGES: 'many' } });
    expect((await errorOf(wrong)).code).toBe('VALIDATION_ERROR');
    const root = tempFolder();
    const daybook = await open(root);
    const saves = Array.from({ length: 20 }, (_, n) =>
      daybook.insights.save({ content: `note ${n}`, context: 'global' }),
    );
    await daybook.close();
    expect(await readdir(join(root, 'memory-bank', 'insights'))).toHaveLength(20);
    await Promise.all(saves);
  });
});
