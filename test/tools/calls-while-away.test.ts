/** Calls that are answered from memory, and calls that are refused, while the folder of the store is missing. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { AppError } from '../../src/base/errors.js';
import { withStoreNotice } from '../../src/server/mcp/store-notice.js';
import { runTool } from '../../src/server/run-tool.js';
import { tools } from '../../src/tools/index.js';
import { kgSave } from '../../src/tools/kg/kg-save.js';
import { errorOf } from '../support/error-of.js';
import { withStore } from '../support/store-that-leaves.js';

/** As the server calls a tool. */
async function called(app: App, name: string, args: object = {}): Promise<unknown> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const input = tool.input.parse(args);
  const signal = new AbortController().signal;
  return runTool(tool, input, app, { signal, isRemote: false, progress: () => undefined });
}

it('kg_export returns the facts in memory as text, and writes no file', async () => {
  await withStore(async ({ app, leave }) => {
    await app.kg.add([{ subject: 'Ada', predicate: 'lives in', object: 'Ockham' }]);
    leave();
    const away = errorOf(called(app, 'kg_export', { file: 'graph.jsonl' }));
    expect((await away).code).toBe('STORAGE_UNAVAILABLE');
    const text = expect.stringContaining('Ockham');
    expect(await called(app, 'kg_export')).toMatchObject({ lines: 1, text });
  });
});

it.each([
  ['verify_store', {}],
  ['list_trash', {}],
  ['mb_reindex', {}],
  ['mb_history', { path: 'garden.md' }],
  ['get_conversation', { conversationId: 'plan', version: 1 }],
])('%s does not answer that there is nothing', async (name, args) => {
  await withStore(async ({ app, leave }) => {
    await app.memoryBank.add('garden.md', 'peas');
    leave();
    expect((await errorOf(called(app, name, args))).code).toBe('STORAGE_UNAVAILABLE');
    expect(await called(app, 'mb_search', { query: 'peas' })).toMatchObject({ total: 1 });
  });
});

/** A conversation that was listed and never read. */
async function unread(app: App, file: (name: string) => string): Promise<void> {
  const path = file('conversation-logs/20250124-1737730800123/conversation.json');
  mkdirSync(dirname(path));
  const message = { role: 'user', content: 'a zebra', createdAt: '2099-01-01T00:00:00Z' };
  writeFileSync(path, JSON.stringify({ messages: [message] }));
  await expect.poll(async () => (await app.conversations.list()).length).toBe(2);
  await app.search.built();
}

it.each([
  ['session_start', {}],
  ['search_messages', { query: 'zebra', activity: true }],
])('%s does not ignore a conversation that is not in memory', async (name, args) => {
  await withStore(async ({ app, file, leave }) => {
    await unread(app, file);
    leave();
    expect((await errorOf(called(app, name, args))).code).toBe('STORAGE_UNAVAILABLE');
  });
});

it('get_analytics says that it could not count a conversation', async () => {
  await withStore(async ({ app, file, leave }) => {
    await unread(app, file);
    leave();
    const note = expect.stringContaining('1 conversation cannot be read now');
    expect(await called(app, 'get_analytics')).toMatchObject({ note, totals: { messages: 1 } });
  });
});

it('get_analytics does not take a conversation that is added meanwhile for one that cannot be read', async () => {
  await withStore(async ({ app }) => {
    const { conversations, figures } = app;
    const [all, list] = [figures.all.bind(figures), conversations.list.bind(conversations)];
    figures.all = async (caller) => {
      const counted = [...(await all(caller))];
      conversations.list = async () => {
        await called(app, 'save_message', { role: 'user', content: 'x' });
        return list();
      };
      return counted;
    };
    expect(await called(app, 'get_analytics')).not.toHaveProperty('note');
  });
});

it('after a refused write, new writes are not reported as waiting', async () => {
  await withStore(async ({ app, file, leave, comeBack }) => {
    await app.memoryBank.add('garden.md', 'peas');
    leave();
    await called(app, 'mb_delete', { path: 'garden.md' });
    expect(withStoreNotice({ content: [], structuredContent: {} }, app)).toMatchObject({
      structuredContent: { durable: false },
    });
    writeFileSync(file('memory-bank/garden.md'), 'beans');
    await comeBack();
    const { structuredContent, content } = withStoreNotice(
      { content: [], structuredContent: {} },
      app,
    );
    expect(structuredContent).toEqual({});
    const text = expect.stringMatching(/^1 write failed when the store was available again\./);
    expect(content).toEqual([{ type: 'text', text }]);
  });
});

it('writes wait while a link to the moved store is at its path', async () => {
  await withStore(async ({ app, file, text, leave, comeBack }) => {
    const root = file('.');
    const [plan] = await app.conversations.list();
    const save = (content: string) =>
      called(app, 'save_message', { conversationId: 'plan', role: 'user', content });
    leave();
    await save('after the move');
    symlinkSync(file('.'), root, 'junction');
    expect(await app.deferredWrites.settle()).toBe(false);
    await save('after the link');
    const reason = expect.stringContaining('link');
    const unavailable = { isAway: true, waiting: 2, refused: 0, reason };
    expect(await called(app, 'store_info')).toMatchObject({ unavailable });
    rmSync(root);
    await comeBack();
    const stored = text(`conversation-logs/${plan?.conversationId}/conversation.json`);
    expect(stored).toMatch(/after the move[\s\S]*after the link/);
  });
});

it('a call during which the store disappears says so, and has no error of the disk', async () => {
  await withStore(async ({ app, leave }) => {
    const run = async () => {
      leave();
      throw new AppError('FILESYSTEM_ERROR', 'Could not write (ENOENT).');
    };
    const signal = new AbortController().signal;
    const call = { signal, isRemote: false, progress: () => undefined };
    const error = await errorOf(runTool({ ...kgSave, run }, {}, app, call));
    expect(error.code).toBe('STORAGE_UNAVAILABLE');
  });
});
