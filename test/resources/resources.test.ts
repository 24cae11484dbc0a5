/** Resources, their news, prompts and completion through the official client and the built command. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { estimateTextTokens } from '../../src/base/text/estimate-tokens.js';
import { GATHER_MS } from '../../src/resources/resource-notifications.js';
import { type Place, type Session, withClient, withPlace } from '../e2e/harness.js';
import { codesOf, resourceUpdates } from '../support/resource-updates.js';

const folderOf = ({ root }: Place, id: string) => join(root, 'conversation-logs', id);
const fileOf = (place: Place, id: string) => join(folderOf(place, id), 'conversation.json');

async function save(session: Session, args: Record<string, unknown> = {}): Promise<string> {
  const said = { role: 'user', content: 'Hello there', ...args };
  return String((await session.call('save_message', said))['conversationId']);
}

const inPlace = (work: (session: Session, place: Place) => Promise<void>) => () =>
  withPlace((place) => withClient(place, (session) => work(session, place)));

describe('capabilities', () => {
  it('say what there is and no more', async () => {
    await inPlace(async ({ client }) => {
      expect(client.getServerCapabilities()).toEqual({
        tools: {},
        logging: {},
        prompts: {},
        completions: {},
        resources: { subscribe: true, listChanged: true },
        extensions: { 'io.modelcontextprotocol/ui': {} },
      });
      expect(() =>
        client.setNotificationHandler(PromptListChangedNotificationSchema, () => undefined),
      ).not.toThrow();
    })();
    await withPlace((place) => {
      const env = { ...place.env, DAYBOOK_TOOLSETS: 'perplexity' };
      return withClient({ ...place, env }, async ({ client }) => {
        expect(client.getServerCapabilities()).not.toHaveProperty('prompts');
      });
    });
  });
});

describe('conversations as resources', () => {
  it(
    'have names that no emoji is cut in',
    inPlace(async (session) => {
      await save(session, { title: `${'t'.repeat(199)}🌲`, module: `${'m'.repeat(199)}🌲` });
      const { resources } = await session.client.listResources();
      for (const { title = '', description = '' } of resources) {
        expect([title.isWellFormed(), description.isWellFormed()]).toEqual([true, true]);
      }
      expect(resources).toHaveLength(1);
    }),
  );

  it(
    'are listed in pages, each once',
    inPlace(async (session) => {
      for (let n = 0; n < 53; n += 1) await save(session, { title: `Number ${n}` });
      const first = await session.client.listResources();
      expect(first.resources).toHaveLength(50);
      const second = await session.client.listResources({ cursor: first.nextCursor });
      expect(second.resources).toHaveLength(3);
      expect(second.nextCursor).toBeUndefined();
      const all = [...first.resources, ...second.resources];
      expect(new Set(all.map(({ uri }) => uri)).size).toBe(53);
      expect(all[0]).toMatchObject({ title: 'Number 52', mimeType: 'application/json' });
      expect(await codesOf(session.client.listResources({ cursor: 'x' }))).toEqual([
        -32602,
        'VALIDATION_ERROR',
      ]);
    }),
  );

  it(
    'are read as JSON and as markdown, by id or key, marked as data',
    inPlace(async ({ client, ...session }) => {
      const key = { conversationId: 'garden', title: 'The garden', module: 'home' };
      const id = await save({ client, ...session }, key);
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        'daybook://conversation/{id}{?beforeSeq}',
        'daybook://conversation/{id}/markdown{?beforeSeq}',
        'daybook://graph/subject/{subject}',
        'daybook://note/{+path}',
      ]);
      const read = async (uri: string) => {
        const [content] = (await client.readResource({ uri })).contents;
        return content && 'text' in content ? content : { text: '', mimeType: '' };
      };
      const json = await read(`daybook://conversation/${id}`);
      expect(JSON.parse(json.text)).toMatchObject({
        notice: expect.stringContaining('data'),
        conversationId: id,
        title: 'The garden',
        messages: [{ seq: 1, role: 'user', content: 'Hello there' }],
      });
      const markdown = await read('daybook://conversation/garden/markdown');
      expect(markdown.mimeType).toBe('text/markdown');
      expect(markdown.text).toMatch(/^> Stored conversation, quoted as data/);
      expect(markdown.text).toContain('# The garden');
      expect(markdown.text).toContain('Hello there');
      const none = await read(`daybook://conversation/${id}?beforeSeq=1`);
      expect(JSON.parse(none.text)).toMatchObject({ messages: [] });
    }),
  );

  it(
    'that are not there are an error with a code',
    inPlace(async ({ client }) => {
      const absent = 'daybook://conversation/20200101-1577836800000';
      const notFound = [-32002, 'CONVERSATION_NOT_FOUND'];
      expect(await codesOf(client.readResource({ uri: absent }))).toEqual(notFound);
      expect(await codesOf(client.subscribeResource({ uri: absent }))).toEqual(notFound);
      for (const uri of [
        'file:///etc/passwd',
        'daybook://conversation/..%2F..%2Fetc',
        'daybook://conversation/%',
      ]) {
        expect(await codesOf(client.readResource({ uri }))).toEqual([-32602, 'VALIDATION_ERROR']);
      }
    }),
  );
});

describe('news', () => {
  it(
    'tell subscribers of a key of the conversation that has the key now',
    inPlace(async (session) => {
      const news = resourceUpdates(session.client);
      await save(session, { conversationId: 'my-key' });
      const uri = 'daybook://conversation/my-key';
      await session.client.subscribeResource({ uri });
      await session.call('delete_conversation', { conversationId: 'my-key' });
      await expect.poll(() => news.updated).toEqual([uri]);
      await save(session, { conversationId: 'my-key' });
      await expect.poll(() => news.updated).toEqual([uri, uri]);
    }),
  );

  it(
    'tell subscribers of an edit by hand, and nobody after the end of the subscription',
    inPlace(async (session, place) => {
      const news = resourceUpdates(session.client);
      const id = await save(session);
      const other = await save(session);
      const uri = `daybook://conversation/${id}/markdown`;
      await session.client.subscribeResource({ uri });
      const file = await readFile(fileOf(place, id), 'utf8');
      await writeFile(fileOf(place, id), file.replace('Hello there', 'Hello by hand'));
      await expect.poll(() => news.updated).toEqual([uri]);
      const [content] = (await session.client.readResource({ uri })).contents;
      expect(content && 'text' in content && content.text).toContain('Hello by hand');
      expect(news.listChanged).toBe(0);

      await session.client.unsubscribeResource({ uri });
      await session.client.subscribeResource({ uri: `daybook://conversation/${other}` });
      await save(session, { conversationId: id });
      await save(session, { conversationId: other });
      const both = [uri, `daybook://conversation/${other}`];
      await expect.poll(() => news.updated).toEqual(both);
    }),
  );

  it(
    'of many writes are gathered',
    inPlace(async (session) => {
      const news = resourceUpdates(session.client);
      const id = await save(session);
      const uri = `daybook://conversation/${id}`;
      await session.client.subscribeResource({ uri });
      const from = performance.now();
      await Promise.all(Array.from({ length: 30 }, () => save(session, { conversationId: id })));
      await expect.poll(() => news.updated.length).toBeGreaterThan(0);
      // As many as there were times to gather: far fewer than writes, unless the machine crawls.
      const gathered = Math.ceil((performance.now() - from) / GATHER_MS);
      expect(news.updated.length).toBeLessThanOrEqual(gathered);
    }),
  );

  it(
    'of the list come to those who have seen it: new, renamed and gone, not one more message',
    inPlace(async (session, place) => {
      const news = resourceUpdates(session.client);
      const id = await save(session, { title: 'One' });
      await session.client.listResources();
      await save(session, { conversationId: id });
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(news.listChanged).toBe(0);

      const copy = '20250124-1706102400123';
      await mkdir(folderOf(place, copy));
      const text = JSON.stringify({ messages: [{ role: 'user', content: 'By hand' }] });
      await writeFile(fileOf(place, copy), text);
      await expect.poll(() => news.listChanged).toBe(1);
      expect((await session.client.listResources()).resources).toHaveLength(2);

      const titled = JSON.stringify({ ...JSON.parse(text), title: 'Mine' });
      await writeFile(fileOf(place, copy), titled);
      await expect.poll(() => news.listChanged).toBe(2);
      await rm(folderOf(place, copy), { recursive: true });
      await expect.poll(() => news.listChanged).toBe(3);
      expect((await session.client.listResources()).resources).toHaveLength(1);
    }),
  );
});

describe('completion', () => {
  it(
    'offers ids by id, key and title, and modules',
    inPlace(async (session) => {
      const id = await save(session, { conversationId: 'garden.plan', title: 'Peas and beans' });
      await save(session, { module: 'discuss' });
      await save(session, { module: 'execute' });
      const ids = async (value: string) =>
        (
          await session.client.complete({
            ref: { type: 'ref/resource', uri: 'daybook://conversation/{id}{?beforeSeq}' },
            argument: { name: 'id', value },
          })
        ).completion;
      expect(await ids(id.slice(0, 20))).toMatchObject({ total: expect.any(Number) });
      expect((await ids('')).values).toHaveLength(3);
      for (const typed of [id, 'gard', 'BEANS']) expect((await ids(typed)).values).toEqual([id]);
      expect((await ids('zebra')).values).toEqual([]);
      const modules = async (value: string) => {
        const ref = { type: 'ref/prompt', name: 'session_start' } as const;
        const { completion } = await session.client.complete({
          ref,
          argument: { name: 'module', value },
        });
        return completion.values;
      };
      expect(await modules('')).toEqual(['execute', 'discuss']);
      expect(await modules('Dis')).toEqual(['discuss']);
      const ref = { type: 'ref/prompt', name: 'nope' } as const;
      const unknown = session.client.complete({ ref, argument: { name: 'x', value: '' } });
      expect(await codesOf(unknown)).toEqual([-32602, 'VALIDATION_ERROR']);
    }),
  );
});

describe('prompts', () => {
  it(
    'begin a session with what is stored of the last one, apart from the instruction',
    inPlace(async (session) => {
      const { prompts } = await session.client.listPrompts();
      expect(prompts).toMatchObject([
        { name: 'session_start', arguments: [{ name: 'module', required: false }] },
        { name: 'continue_topic', arguments: [{ required: true }, { required: false }] },
        { name: 'summarise_conversation', arguments: [{ required: true }, { required: false }] },
      ]);
      await save(session, { module: 'plan', content: 'Shall we review the Tipz risks?' });
      const { messages } = await session.client.getPrompt({
        name: 'session_start',
        arguments: { module: 'plan' },
      });
      const texts = messages.map(({ content }) => (content.type === 'text' ? content.text : ''));
      expect(texts[0]).not.toContain('Tipz');
      expect(texts[1]).toMatch(/^Stored conversation, quoted as data/);
      expect(texts[1]).toContain('Shall we review the Tipz risks?');
      const empty = { name: 'session_start', arguments: { module: 'other' } };
      expect(JSON.stringify(await session.client.getPrompt(empty))).toContain(
        'There is no message',
      );
    }),
  );

  it(
    'go on with a topic: what was said about it, the superseded marked, and nothing else',
    inPlace(async (session) => {
      const old = 'The deadline for the grant application is April 15.';
      const now = 'The deadline for the grant application has been moved to May 2.';
      await save(session, { conversationId: 'grant', content: old });
      await save(session, { conversationId: 'grant', content: now });
      await save(session, { conversationId: 'shed', content: 'The roof of the shed leaks.' });
      const topicText = async (topic: string) => {
        const asked = { name: 'continue_topic', arguments: { topic } };
        const { messages } = await session.client.getPrompt(asked);
        const texts = messages.map(({ content }) => (content.type === 'text' ? content.text : ''));
        expect(texts[0]).toContain(topic);
        expect(texts[1]).toMatch(/^Stored conversation, quoted as data/);
        return texts[1] ?? '';
      };
      const text = await topicText('deadline of the grant');
      expect(text).toMatch(/superseded by message [^\]]+\]\nThe deadline .* April 15/);
      expect(text.indexOf(old)).toBeLessThan(text.indexOf(now));
      expect(text).not.toContain('shed');
      expect(await topicText('zebras')).toContain('No passages.');
    }),
  );

  it(
    'refuse a topic of spaces, and name the modules in use if the module does not exist',
    inPlace(async (session) => {
      await save(session, { module: 'plan', content: 'The roof of the shed leaks.' });
      const ask = (args: Record<string, string>) =>
        session.client.getPrompt({ name: 'continue_topic', arguments: args });
      await expect(ask({ topic: '  ' })).rejects.toMatchObject({
        data: { 'daybook/error': { code: 'VALIDATION_ERROR', details: { missing: ['topic'] } } },
      });
      const text = JSON.stringify(await ask({ topic: 'roof', module: 'plam' }));
      expect(text).toContain('No conversation has the module');
      expect(JSON.stringify(await ask({ topic: 'roof', module: 'plan' }))).toContain('leaks');
    }),
  );

  it.each([
    { name: 'session_start', arguments: {} },
    { name: 'continue_topic', arguments: { topic: 'Tipz' } },
  ])('of $name say that a conversation could not be read', (prompt) =>
    inPlace(async (session, place) => {
      const text = async () => JSON.stringify(await session.client.getPrompt(prompt));
      const id = await save(session, { conversationId: 'broken', content: 'Old' });
      await save(session, { content: 'Shall we review the Tipz risks?' });
      expect(await text()).not.toContain('store_info');
      await writeFile(fileOf(place, id), '{ broken');
      await expect.poll(text).toContain('store_info');
    })());

  it(
    'ask for a summary of a conversation that comes along as a resource',
    inPlace(async (session) => {
      const id = await save(session, { conversationId: 'garden', content: 'Peas first' });
      const { messages } = await session.client.getPrompt({
        name: 'summarise_conversation',
        arguments: { conversationId: 'garden', focus: 'vegetables' },
      });
      expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining('vegetables') });
      expect(messages[1]?.content).toMatchObject({
        type: 'resource',
        resource: {
          uri: `daybook://conversation/${id}/markdown`,
          text: expect.stringContaining('Peas first'),
        },
      });
      const book = { conversationId: 'book', content: '会議は明日です。'.repeat(20_000) };
      await save(session, book);
      const cut = await session.client.getPrompt({
        name: 'summarise_conversation',
        arguments: { conversationId: 'book' },
      });
      expect(estimateTextTokens(JSON.stringify(cut.messages))).toBeLessThan(25_000);
      expect(JSON.stringify(cut.messages)).toContain(' […]');
      const get = (name: string, args: Record<string, string>) =>
        codesOf(session.client.getPrompt({ name, arguments: args }));
      const invalid = [-32602, 'VALIDATION_ERROR'];
      expect(await get('summarise_conversation', {})).toEqual(invalid);
      expect(await get('session_start', { modul: 'x' })).toEqual(invalid);
      expect(await get('nope', {})).toEqual(invalid);
      expect(await get('summarise_conversation', { conversationId: 'nobody' })).toEqual([
        -32002,
        'CONVERSATION_NOT_FOUND',
      ]);
    }),
  );
});
