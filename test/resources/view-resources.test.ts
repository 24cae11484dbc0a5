/** Views for the window of an assistant: who is offered them, and that each is one document by itself. */
import { gzipSync } from 'node:zlib';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { VIEWS, viewUri } from '../../src/resources/view-resources.js';
import { tools } from '../../src/tools/index.js';
import { BareServer, type Session, withClient, withPlace } from '../e2e/harness.js';

const EXTENSION = 'io.modelcontextprotocol/ui';
const MIME_TYPE = 'text/html;profile=mcp-app';
const extensions = { [EXTENSION]: { mimeTypes: [MIME_TYPE] } };
const MAX_COMPRESSED_BYTES = 150_000;
const URIS = ['ui://daybook/conversation', 'ui://daybook/graph', 'ui://daybook/figures'];

const inServer = (
  work: (session: Session) => Promise<void>,
  capabilities: ClientCapabilities,
  env: Record<string, string> = {},
) =>
  withPlace((place) => withClient({ ...place, env: { ...place.env, ...env } }, work, capabilities));

/** The addresses of views that the list of tools names, by tool. */
async function viewsOf({ client }: Session): Promise<Record<string, unknown>> {
  const { tools: listed } = await client.listTools();
  const named = listed.filter(({ _meta }) => _meta !== undefined);
  return Object.fromEntries(named.map(({ name, _meta }) => [name, _meta]));
}

const listed = async ({ client }: Session) =>
  (await client.listResources()).resources.map(({ uri }) => uri);

const to = (uri: string) => ({ ui: { resourceUri: uri } });

describe('a client that declares the extension', () => {
  it('sees which tool has which view, and the views behind what is stored', async () => {
    const all = { DAYBOOK_TOOLSETS: 'all' };
    await inServer(
      async (session) => {
        expect(session.client.getServerCapabilities()?.extensions).toEqual({ [EXTENSION]: {} });
        expect(await viewsOf(session)).toEqual({
          get_conversation: to('ui://daybook/conversation'),
          kg_query: to('ui://daybook/graph'),
          kg_neighbors: to('ui://daybook/graph'),
          get_analytics: to('ui://daybook/figures'),
        });
        await session.call('save_message', { role: 'user', content: 'Hello' });
        expect((await listed(session)).slice(1)).toEqual(URIS);
      },
      { extensions },
      all,
    );
  });

  it('reads each as one document that refers to nothing outside', async () => {
    await inServer(
      async ({ client }) => {
        const names = URIS.slice(0, 2);
        const read = names.map(async (uri) => (await client.readResource({ uri })).contents);
        const documents = (await Promise.all(read)).flat().map((content) => {
          expect(content).toMatchObject({ mimeType: MIME_TYPE, _meta: { ui: { csp: {} } } });
          const { csp = { none: ['none'] } } = (content._meta?.['ui'] ?? {}) as Partial<
            Record<'csp', Record<string, string[]>>
          >;
          expect(Object.values(csp).flat()).toEqual([]);
          return 'text' in content ? content.text : '';
        });
        expect(new Set(documents).size).toBe(names.length);
        for (const text of documents) {
          expect(gzipSync(text).byteLength).toBeLessThan(MAX_COMPRESSED_BYTES);
          const outside = text.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, (part) =>
            part.slice(0, part.indexOf('>') + 1),
          );
          expect(outside).toMatch(/^<!doctype html>/);
          expect(outside).not.toMatch(/\b(?:src|href|srcset|action|data)=/i);
          expect(text.match(/<style>[\s\S]*?<\/style>/)?.[0]).not.toMatch(/url\(|@import/);
          expect(text).not.toMatch(/\bimport\s*\(|\bimport\s*["']|\bfetch\(|EventSource/);
          expect(text).toContain("default-src 'none'; script-src 'sha256-");
        }
        await expect(client.readResource({ uri: 'ui://daybook/none' })).rejects.toThrow(
          'is not a view',
        );
      },
      { extensions },
    );
  });

  it('sees a view only where the tools are offered that it needs', async () => {
    const few = { DAYBOOK_TOOLSETS: 'conversations,kg' };
    await inServer(
      async (session) => {
        expect(Object.keys(await viewsOf(session))).toEqual(['kg_query', 'kg_neighbors']);
        expect(await listed(session)).toEqual(['ui://daybook/graph']);
      },
      { extensions },
      few,
    );
  });

  it('sees none where they are switched off', async () => {
    await inServer(
      async (session) => {
        expect(session.client.getServerCapabilities()).not.toHaveProperty('extensions');
        expect(await viewsOf(session)).toEqual({});
        const uri = URIS[0] ?? '';
        await expect(session.client.readResource({ uri })).rejects.toThrow('is not a resource');
      },
      { extensions },
      { DAYBOOK_VIEWS: '0' },
    );
  });

  it('declares it with each request where the protocol is stateless', async () => {
    const prefix = 'io.modelcontextprotocol/';
    const ask = (capabilities: object) => ({
      _meta: {
        [`${prefix}protocolVersion`]: '2026-07-28',
        [`${prefix}clientCapabilities`]: capabilities,
      },
    });
    await withPlace(async (place) => {
      const server = new BareServer(place);
      const named = async (capabilities: object) => {
        const { result } = await server.answer(server.send('tools/list', ask(capabilities)));
        return JSON.stringify(result).includes('ui://daybook/');
      };
      expect([await named({}), await named({ extensions })]).toEqual([false, true]);
      server.process.stdin.end();
      await server.exit();
    });
  });
});

describe('a client that declares nothing', () => {
  it.each([
    ['no extension', {}],
    ['other types of views', { extensions: { [EXTENSION]: { mimeTypes: ['text/plain'] } } }],
  ])('gets tools, resources and text without views: %s', async (_, capabilities) => {
    await inServer(async (session) => {
      expect(await viewsOf(session)).toEqual({});
      expect(await listed(session)).toEqual([]);
      const saved = await session.call('save_message', { role: 'user', content: 'Hello' });
      const { conversationId } = saved;
      const { content, structuredContent } = await session.result('get_conversation', {
        conversationId,
      });
      const [text] = content;
      expect(JSON.parse(text?.type === 'text' ? text.text : '')).toEqual(structuredContent);
    }, capabilities);
  });
});

it('names views that exist, and tools that exist', () => {
  expect(VIEWS.map(({ name }) => viewUri(name))).toEqual(URIS);
  const named = tools.flatMap(({ view = [] }) => view);
  expect([...new Set(named)].sort()).toEqual(VIEWS.map(({ name }) => name).sort());
  const names = tools.map(({ name }) => name);
  expect(VIEWS.flatMap(({ needs }) => needs).filter((name) => !names.includes(name))).toEqual([]);
});
