/**
 * No context shows anything of another one: over every transport, each answer is the same as that of a store
 * with only this context.
 */
import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp, loadConfig } from '../../../src/index.js';
import { buildServer } from '../../../src/server/mcp/build-server.js';
import { BareServer, MAIN, withPlace } from '../../e2e/harness.js';
import { tempFolder } from '../../support/temp-folder.js';

interface Answer {
  id: string;
  context: string;
  results: { id: string; content: string; snippet: string; rank: number }[];
  total: number;
  found: boolean;
  explanation?: string;
  note?: string;
  error: { code: string; message: string; details?: unknown };
}
type Call = (name: string, args?: Record<string, unknown>) => Promise<Answer>;

/** A server over `root`, as the transport makes it for local or remote callers (`isRemote`). */
async function connect(root: string, isRemote: boolean): Promise<Call> {
  const config = loadConfig({
    flags: { root },
    env: { DAYBOOK_FSYNC: '0' },
    cwd: root,
    home: root,
    knownToolsets: ['insights'],
    readFile: () => undefined,
  });
  const app = await createApp(config);
  app.start();
  const { server } = buildServer({ app: () => app, toolsets: ['insights', 'context'], isRemote });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(async () => {
    await client.close();
    await app.close();
  });
  return callOf(client);
}

const callOf =
  (client: Client): Call =>
  async (name, args = {}) => {
    const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
    const error = result._meta?.['daybook/error'];
    return { ...result.structuredContent, ...(result.isError ? { error } : {}) } as Answer;
  };

const MINE = '/work/mine';
const SECRETS = [
  ['/work/theirs', 'The launch code of theirs is zanzibar', ['hidden'], { vault: 'quetzal' }],
  ['/work', 'A parent folder knows zanzibar', [], {}],
  ['/work/mine/below', 'A folder below knows zanzibar', [], {}],
  ['/work/mine2', 'A neighbour with a longer name knows zanzibar', [], {}],
  ['global', 'Everybody may know zanzibar, who asks for global', [], {}],
] as const;

async function withSecrets(call: Call): Promise<void> {
  for (const [context, content, tags, metadata] of SECRETS) {
    await call('save_insight', { content, context, tags, metadata });
  }
}

const QUESTIONS: Record<string, unknown>[] = [
  ...['zanzibar', 'zanz*', 'NOT zanzibar', 'raven NOT zanzibar', 'metadata : quetzal'].map(
    (query) => ({ query }),
  ),
  ...['auto', 'fts5', 'exact', 'prefix', 'any', 'fuzzy'].flatMap((matchType) => [
    { query: 'zanzibar', matchType },
    { query: 'raven desk', matchType },
  ]),
  { query: 'zanzibor', matchType: 'fuzzy' },
  { query: 'zanzibar', tags: ['hidden'], includeExpired: true },
  { query: 'knows', offset: 0, limit: 100 },
  { query: 'launch zanzibar raven' },
];

describe.each([false, true])('if the caller is remote: %s', (isRemote) => {
  it('a given context shows only its own insights', async () => {
    const mine = ['A raven and a desk', 'A raven again', 'No bird at all'];
    const alone = await connect(tempFolder(), isRemote);
    const among = await connect(tempFolder(), isRemote);
    await withSecrets(among);
    for (const call of [alone, among]) {
      for (const content of mine) await call('save_insight', { content, context: MINE });
    }
    const told = ({ results, ...answer }: Answer) => ({
      ...answer,
      // Ids and times differ between two stores; results, marks and ranks must be the same.
      results: results.map(({ content, snippet, rank }) => ({ content, snippet, rank })),
    });
    for (const question of QUESTIONS) {
      const asked = { ...question, context: MINE };
      const expected = told(await alone('search_insights', asked));
      expect(told(await among('search_insights', asked)), JSON.stringify(asked)).toEqual(expected);
    }
    const list = await among('list_insights', { context: MINE, limit: 100, includeExpired: true });
    expect(list.results.map(({ content }) => content).sort()).toEqual([...mine].sort());
    expect((await among('list_insights', { context: 'global' })).total).toBe(1);
    expect((await among('list_insights', { context: '/nowhere' })).total).toBe(0);
  });

  it('different forms of one path are one context', async () => {
    const call = await connect(tempFolder(), isRemote);
    await call('save_insight', { content: 'one place', context: '/work/mine/' });
    await call('save_insight', { content: 'windows', context: 'c:/Users/me\\project\\' });
    for (const context of ['/work/mine', '/work/./mine', '/work/x/../mine', '//work/mine']) {
      expect((await call('list_insights', { context })).total, context).toBe(1);
    }
    for (const context of ['C:\\Users\\me\\project', 'C:/Users/me/project/']) {
      expect((await call('list_insights', { context })).total, context).toBe(1);
    }
    for (const context of ['/work', '/', '/work/Mine', '/work/mine/..']) {
      expect((await call('list_insights', { context })).total, context).toBe(0);
    }
  });

  it('an insight whose file moves to another context is no longer found in the first', async () => {
    const root = tempFolder();
    const call = await connect(root, isRemote);
    const { id } = await call('save_insight', { content: 'moving raven', context: MINE });
    await call('search_insights', { query: 'raven', context: MINE });
    const file = join(root, 'memory-bank', 'insights', `${id}.json`);
    await writeFile(file, JSON.stringify({ content: 'moving raven', context: 'global' }));
    expect((await call('search_insights', { query: 'raven', context: MINE })).total).toBe(0);
    expect((await call('list_insights', { context: MINE })).total).toBe(0);
    expect((await call('search_insights', { query: 'raven', context: 'global' })).total).toBe(1);
  });
});

describe('a context that is not a valid path', () => {
  it('is refused as an argument, before any file is read', async () => {
    const call = await connect(tempFolder(), false);
    const { error } = await call('list_insights', { context: '/a\0b' });
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', details: { field: 'context' } });
  });
});

describe('a remote caller', () => {
  it.each([
    'save_insight',
    'search_insights',
    'list_insights',
  ])('%s must give the context', async (name) => {
    const call = await connect(tempFolder(), true);
    const args = { save_insight: { content: 'lost' }, search_insights: { query: 'lost' } }[name];
    for (const context of [undefined, '.', 'mine', '~/mine', '../mine', './global']) {
      const { error } = await call(name, { ...args, ...(context && { context }) });
      expect(error?.code, String(context)).toBe('VALIDATION_ERROR');
      expect(error?.details).toEqual({ field: 'context' });
    }
    expect((await call('list_insights', { context: process.cwd() })).total).toBe(0);
  });
});

describe('the command over HTTP', () => {
  it('has no default context, and keeps the given contexts apart', async () => {
    await withPlace(async (place) => {
      const args = ['--root', place.root, 'serve', '--http', '--port', '0'];
      const server = new BareServer(place, args);
      while (!server.stderr.includes('/mcp')) await delay(10);
      const url = new URL(/http:\S+/.exec(server.stderr)?.[0] ?? '');
      const client = new Client({ name: 'test', version: '1' });
      // The type of the SDK does not support exactOptionalPropertyTypes.
      await client.connect(new StreamableHTTPClientTransport(url) as Transport);
      const call = callOf(client);
      await withSecrets(call);
      for (const name of ['save_insight', 'search_insights', 'list_insights']) {
        const own = { save_insight: { content: 'lost' }, search_insights: { query: 'x' } }[name];
        expect((await call(name, own)).error?.code, name).toBe('VALIDATION_ERROR');
      }
      const mine = { context: MINE };
      await call('save_insight', { ...mine, content: 'raven' });
      const found = await call('search_insights', { ...mine, query: 'zanzibar' });
      expect(found).toMatchObject({
        total: 0,
        explanation: expect.stringMatching(/^No insight of this context has: zanzibar\./),
      });
      expect((await call('list_insights', mine)).total).toBe(1);
      expect((await call('list_insights', { context: 'global' })).total).toBe(1);
      await client.close();
      server.process.kill('SIGTERM');
      await server.exit();
    });
  });
});

describe('a local caller', () => {
  it('uses the context of the working folder unless another one is given', async () => {
    await withPlace(async ({ root, env, folder }) => {
      const project = join(folder, 'project');
      mkdirSync(join(project, 'src'), { recursive: true });
      const args = [MAIN, '--root', root];
      const client = new Client({ name: 'test', version: '1' });
      const started = { command: process.execPath, args, env, cwd: project };
      await client.connect(new StdioClientTransport(started));
      const call = callOf(client);
      try {
        expect((await call('save_insight', { content: 'here' })).context).toBe(project);
        expect((await call('save_insight', { content: 'all', context: 'global' })).context).toBe(
          'global',
        );
        const below = await call('save_insight', { content: 'below', context: 'src' });
        expect(below.context).toBe(join(project, 'src'));
        // A name that is not a folder would become a folder below the working folder.
        for (const name of ['save_insight', 'search_memory']) {
          const about = name === 'save_insight' ? { content: 'lost' } : { query: 'lost' };
          const refused = await client.callTool({ name, arguments: { ...about, context: 'foo' } });
          expect(refused._meta?.['daybook/error']).toMatchObject({
            code: 'VALIDATION_ERROR',
            hint: expect.stringContaining('project:foo'),
          });
        }
        const home = await call('save_insight', { content: 'at home', context: '~/notes' });
        expect(home.context).toBe(join(folder, 'notes'));
        for (const [context, content] of [
          [undefined, 'here'],
          [project, 'here'],
          ['.', 'here'],
          ['global', 'all'],
          ['./src/', 'below'],
        ]) {
          const { results } = await call('list_insights', context ? { context } : {});
          expect(results.map((insight) => insight.content)).toEqual([content]);
        }
        expect((await call('search_insights', { query: 'all' })).total).toBe(0);
      } finally {
        await client.close();
      }
    });
  });
});

it('search_memory without a context over HTTP searches only the global insights, and says so', async () => {
  const call = await connect(tempFolder(), true);
  await call('save_insight', { content: 'Tea at 70 degrees', context: 'global' });
  await call('save_insight', { content: 'Tea of the shed', context: 'project:shed' });
  const found = await call('search_memory', { query: 'tea' });
  expect(found.results).toMatchObject([{ text: '<mark>Tea</mark> at 70 degrees' }]);
  expect(found.note).toMatch(/global.*`context`/);
  const ofProject = await call('search_memory', { query: 'tea', context: 'project:shed' });
  expect(ofProject.results).toHaveLength(1);
  expect(ofProject.note).toBeUndefined();
  const asked = await call('search_memory', { query: 'tea', sources: ['insights'] });
  expect(asked.error.message).toMatch(/required over HTTP/);
});
