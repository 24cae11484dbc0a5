/** The knowledge graph as resources through the official client, and news of it, hand edits included. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codesOf, resourceUpdates } from '../support/resource-updates.js';
import { useToolSession } from '../support/tool-session.js';

const opened = useToolSession();
const WHOLE = 'daybook://graph';
const ADA = 'daybook://graph/subject/Ada';

const add = (subject: string, object: string, more = {}) =>
  opened.session.call('kg_add', { subject, predicate: 'lives in', object, ...more });

interface Facts {
  total: number;
  facts: { subject: string; object: string; validTo?: string }[];
}

async function read(uri: string): Promise<Facts> {
  const [content] = (await opened.session.client.readResource({ uri })).contents;
  return JSON.parse(content && 'text' in content ? content.text : '{}') as Facts;
}

const uris = async () =>
  (await opened.session.client.listResources()).resources.map(({ uri }) => uri);

describe('the graph as a resource', () => {
  it('is listed once there is a fact, and shows what holds, newest first', async () => {
    expect(await uris()).toEqual([]);
    await add('Ada', 'London');
    await add('Charles', 'Bath');
    await add('Ada', 'Paris', { replaces: true });
    await opened.session.call('mb_add', { path: 'a.md', content: 'x' });
    expect(await uris()).toEqual([WHOLE, 'daybook://note/a.md']);
    const whole = await read(WHOLE);
    expect(whole.facts.map(({ object }) => object)).toEqual(['Paris', 'Bath']);
    expect(whole.total).toBe(2);
    const ada = await read(ADA);
    expect(ada.facts.map(({ object, validTo }) => [object, validTo !== undefined])).toEqual([
      ['Paris', false],
      ['London', true],
    ]);
    expect(await read('daybook://graph/subject/nobody')).toMatchObject({ total: 0, facts: [] });
    await add('a/b ü%2F', 'x');
    expect(await read(`daybook://graph/subject/${encodeURIComponent('a/b ü%2F')}`)).toMatchObject({
      total: 1,
    });
  });

  it('has no other addresses', async () => {
    for (const uri of [
      'daybook://graph/',
      'daybook://graph/subject/',
      'daybook://graph/subject/%',
      'daybook://graphs',
    ]) {
      const [code] = await codesOf(opened.session.client.readResource({ uri }));
      expect(code, uri).toBe(-32602);
    }
  });

  it('completes subjects', async () => {
    await add('Ada', 'London');
    await add('Adam', 'Eden');
    await add('Charles', 'Bath');
    const { completion } = await opened.session.client.complete({
      ref: { type: 'ref/resource', uri: 'daybook://graph/subject/{subject}' },
      argument: { name: 'subject', value: 'Ad' },
    });
    expect(completion).toMatchObject({ values: ['Ada', 'Adam'], total: 2, hasMore: false });
  });

  it('notifies subscribers of the graph and of a subject, also of a line added by hand', async () => {
    const { client } = opened.session;
    const received = resourceUpdates(client);
    const { updated } = received;
    await uris();
    await add('Ada', 'London');
    await expect.poll(() => received.listChanged).toBe(1);
    await client.subscribeResource({ uri: ADA });
    await add('Charles', 'Bath');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(updated).toEqual([]);
    await client.subscribeResource({ uri: WHOLE });
    await add('Charles', 'London');
    await expect.poll(() => updated).toEqual([WHOLE]);
    const line = '{"subject":"Ada","predicate":"knows","object":"by hand","ts":1700000000000}';
    appendFileSync(join(opened.place.root, 'memory-bank', 'kg_wal.log'), `\n${line}\n`);
    await expect.poll(() => updated.slice(1).sort()).toEqual([WHOLE, ADA]);
    expect((await read(ADA)).facts.map(({ object }) => object)).toContain('by hand');
    expect(received.listChanged).toBe(1);
  });
});
