/** The tools of the built server, called with the official client, on real files. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { tools } from '../../src/tools/index.js';
import { MAIN, type Place, withClient, withPlace } from './harness.js';

const fileOf = ({ root }: Place, id: unknown) =>
  join(root, 'conversation-logs', String(id), 'conversation.json');

interface Page {
  messages: { seq: number; id: string; content: string; metadata?: unknown }[];
  nextBeforeMessageId?: string;
  total: number;
  hasMore: boolean;
}

describe('the list of tools', () => {
  it('has output schemas that the official client can compile', async () => {
    await withPlace(async ({ root, env }) => {
      const args = [MAIN, '--root', root, '--toolsets', 'all'];
      const client = new Client({ name: 'compiles', version: '1' });
      const withAll = { ...env, DAYBOOK_PERPLEXITY_TOOLS: 'always' };
      const server = { command: process.execPath, args, env: withAll };
      await client.connect(new StdioClientTransport(server));
      expect((await client.listTools()).tools).toHaveLength(tools.length);
      await client.close();
    });
  });

  it('has no tools that need a Perplexity key if none is set, but a call of them is answered', async () => {
    await withPlace((place) =>
      withClient(place, async ({ client, failure }) => {
        const names = (await client.listTools()).tools.map(({ name }) => name);
        expect(names.filter((name) => name.startsWith('perplexity_'))).toEqual([]);
        expect(names).toContain('get_conversation_history');
        expect(await failure('perplexity_search', { query: 'x' })).toMatchObject({
          code: 'NOT_CONFIGURED',
        });
      }),
    );
  });
});

describe('save_message', () => {
  it('starts and continues a conversation, and its first text block is JSON', async () => {
    await withPlace((place) =>
      withClient(place, async ({ result, call }) => {
        const first = await result('save_message', { role: 'user', content: 'Hello' });
        const block = first.content[0];
        const { conversationId } = JSON.parse(block?.type === 'text' ? block.text : '');
        expect(first.structuredContent).toMatchObject({ seq: 1, created: true, messageCount: 1 });
        const second = await call('save_message', {
          conversationId,
          role: 'assistant',
          content: 'Good day',
          parentMessageId: first.structuredContent?.['messageId'],
        });
        expect(second).toMatchObject({ conversationId, seq: 2, created: false, messageCount: 2 });
        const file = JSON.parse(await readFile(fileOf(place, conversationId), 'utf8'));
        expect(file.messages).toMatchObject([{ content: 'Hello' }, { content: 'Good day' }]);
        expect(second['conversationPath']).toBe(join(fileOf(place, conversationId), '..'));
        expect((await stat(fileOf(place, conversationId))).mode & 0o777).toBe(0o600);
      }),
    );
  });

  it('accepts a key of the caller, and a title, a module and tags with a new key', async () => {
    await withPlace((place) =>
      withClient(place, async ({ call }) => {
        const message = { conversationId: 'garden.plan', role: 'user', content: 'Peas' };
        const start = { title: 'Garden', module: 'home', tags: ['green'] };
        const first = await call('save_message', { ...message, ...start });
        const again = await call('save_message', { ...message, title: 'Another title' });
        const plain = await call('save_message', { ...message, conversationId: 'no.title' });
        expect(first).toMatchObject({ created: true, seq: 1 });
        expect(again).toMatchObject({ created: false, seq: 2 });
        expect(again['conversationId']).toBe(first['conversationId']);
        expect(plain).toMatchObject({ created: true, seq: 1 });
        expect(await call('get_conversation', { conversationId: 'garden.plan' })).toMatchObject({
          ...start,
          clientId: 'garden.plan',
          total: 2,
        });
      }),
    );
  });

  it('starts one conversation when twenty calls use a new key at once', async () => {
    await withPlace((place) =>
      withClient(place, async ({ call }) => {
        const saved = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            call('save_message', {
              conversationId: 'rush',
              role: 'user',
              content: `${index}`,
              ...(index % 2 === 0 && { title: 'Rush' }),
            }),
          ),
        );
        expect(new Set(saved.map(({ conversationId }) => conversationId)).size).toBe(1);
        expect(saved.filter(({ created }) => created)).toHaveLength(1);
        expect(saved.map(({ seq }) => Number(seq)).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 20 }, (_, index) => index + 1),
        );
      }),
    );
  });

  it('refuses an unknown conversation, parent message or role', async () => {
    await withPlace((place) =>
      withClient(place, async ({ call, failure }) => {
        const message = { role: 'user', content: 'x' };
        const absent = { conversationId: '20200101-1577836800000', ...message };
        expect((await failure('save_message', absent)).code).toBe('CONVERSATION_NOT_FOUND');
        const titled = { ...absent, title: 'T' };
        expect((await failure('save_message', titled)).code).toBe('CONVERSATION_NOT_FOUND');
        const { conversationId } = await call('save_message', message);
        const orphan = { conversationId, ...message, parentMessageId: 'nobody' };
        expect((await failure('save_message', orphan)).code).toBe('MESSAGE_NOT_FOUND');
        expect((await failure('save_message', { role: 'robot', content: 'x' })).code).toBe(
          'VALIDATION_ERROR',
        );
      }),
    );
  });
});

describe('get_conversation', () => {
  it('returns earlier messages page by page', async () => {
    await withPlace((place) =>
      withClient(place, async ({ call, failure }) => {
        for (let n = 1; n <= 7; n++) {
          await call('save_message', { conversationId: 'pages', role: 'user', content: `${n}` });
        }
        const pages: Page[] = [];
        let before: string | undefined;
        do {
          const page = (await call('get_conversation', {
            conversationId: 'pages',
            messageLimit: 3,
            ...(before !== undefined && { beforeMessageId: before }),
          })) as unknown as Page;
          pages.push(page);
          before = page.nextBeforeMessageId;
        } while (before !== undefined);
        expect(pages.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
          ['5', '6', '7'],
          ['2', '3', '4'],
          ['1'],
        ]);
        expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
        expect(pages.every(({ total }) => total === 7)).toBe(true);
        expect(pages[0]?.messages.map(({ seq }) => seq)).toEqual([5, 6, 7]);
        const head = await call('get_conversation', {
          conversationId: 'pages',
          includeMessages: false,
        });
        expect(head).toMatchObject({ total: 7, hasMore: true });
        expect(head).not.toHaveProperty('messages');
        const wrong = { conversationId: 'pages', beforeMessageId: 'nobody' };
        expect((await failure('get_conversation', wrong)).code).toBe('MESSAGE_NOT_FOUND');
      }),
    );
  });

  it('returns messages that were edited by hand, even if they have only the required fields', async () => {
    await withPlace((place) =>
      withClient(place, async ({ call, failure }) => {
        const { conversationId } = await call('save_message', { role: 'user', content: 'Hello' });
        const path = fileOf(place, conversationId);
        const file = JSON.parse(await readFile(path, 'utf8'));
        const added = {
          role: 'assistant',
          content: 'By hand',
          parentMessageId: null,
          note: 'mine',
        };
        await writeFile(
          path,
          JSON.stringify({ ...file, title: 'Mine', messages: [...file.messages, added] }),
        );
        const seen = await call('get_conversation', { conversationId });
        expect(seen).toMatchObject({ title: 'Mine', total: 2 });
        expect((seen as unknown as Page).messages[1]).toMatchObject({ seq: 2, content: 'By hand' });
        await writeFile(path, '{ "messages": [');
        expect((await failure('get_conversation', { conversationId })).code).toBe(
          'CONVERSATION_CORRUPTED',
        );
        expect(await readFile(path, 'utf8')).toBe('{ "messages": [');
      }),
    );
  });
});

describe('store_info', () => {
  it('shows the folders of the data, and no secret', async () => {
    await withPlace((place) => {
      const env = { ...place.env, PERPLEXITY_API_KEY: 'pplx-secret', DAYBOOK_TOOLSETS: 'threads' };
      return withClient({ ...place, env }, async ({ client, call }) => {
        const names = (await client.listTools()).tools.map(({ name }) => name);
        expect(names).toContain('store_info');
        expect(names).not.toContain('save_message');
        const info = await call('store_info');
        expect(info).toMatchObject({
          root: place.root,
          conversationLogsDir: join(place.root, 'conversation-logs'),
          conversations: 0,
          messages: 0,
          formatVersion: 1,
          settings: { toolsets: ['threads'], fsync: false, perplexity: { configured: true } },
        });
        expect(JSON.stringify(info)).not.toContain('pplx-secret');
      });
    });
  });
});
