/** get_progressive_detail and get_context_summary through a real client. */
import { existsSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getContextSummary } from '../../../src/tools/context/get-context-summary.js';
import { getProgressiveDetail } from '../../../src/tools/context/get-progressive-detail.js';
import { getConversation } from '../../../src/tools/conversations/get-conversation.js';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();
const call = async (name: string, input: object): Promise<unknown> => {
  const { structuredContent, isError } = await opened.session.client.callTool({
    name,
    arguments: { ...input },
  });
  expect(isError ?? false).toBe(false);
  return structuredContent;
};
const detailOf = async (input: object) =>
  getProgressiveDetail.output.parse(await call('get_progressive_detail', input));
const summaryOf = async (input: object) =>
  getContextSummary.output.parse(await call('get_context_summary', input));
const conversationOf = async (conversationId: string) =>
  getConversation.output.parse(await call('get_conversation', { conversationId }));

const TALK: readonly (readonly [string, string])[] = [
  ['user', 'I want to build a raised bed at the south wall. It gets sun from noon.'],
  ['assistant', 'You could use larch boards or bricks for the bed. Larch lasts about 15 years.'],
  ['user', "We'll go with larch. Martin brings the boards on Saturday."],
];
const save = async (conversationId: string, talk = TALK) => {
  for (const [role, content] of talk) await call('save_message', { conversationId, role, content });
};

describe('get_progressive_detail', () => {
  it('has levels from brief to full, each with the cost of the next level', async () => {
    await save('garden');
    const brief = await detailOf({ conversationId: 'garden' });
    expect(brief).toMatchObject({ level: 'brief', next: { level: 'standard' }, messageCount: 3 });
    expect(brief.summary).toMatchObject({
      provider: 'extractive',
      isStale: false,
      messageCount: 3,
    });
    expect(brief.summary?.text).toContain("We'll go with larch.");
    const standard = await detailOf({
      conversationId: 'garden',
      level: brief.next?.level,
    });
    expect(standard.next?.level).toBe('detailed');
    const detailed = await detailOf({
      conversationId: 'garden',
      level: 'detailed',
    });
    expect(detailed.next?.level).toBe('full');
    const full = await detailOf({ conversationId: 'garden', level: 'full' });
    expect(full.next).toBeUndefined();
    expect(full.messages?.map(({ content }) => content)).toEqual(
      TALK.map(([, content]) => content),
    );
    const next = detailed.next?.tokens ?? 0;
    expect(full.tokens / next).toBeLessThan(2.5);
    expect(next / full.tokens).toBeLessThan(2.5);
  });

  it('pages through the whole of a long conversation', async () => {
    await save('long', [
      ['user', 'a word '.repeat(2000)],
      ['assistant', 'Yes.'],
    ]);
    let cursor: string | undefined;
    let text = '';
    for (let pages = 0; pages < 20; pages += 1) {
      const page = await detailOf({
        conversationId: 'long',
        level: 'full',
        maxTokens: 1500,
        ...(cursor && { cursor }),
      });
      text += (page.messages ?? []).map(({ content }) => content).join('');
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    expect(text).toBe(`${'a word '.repeat(2000)}Yes.`);
  });

  it('refuses the cursor of a page with another level, which has no pages', async () => {
    await save('pages', TALK);
    const answer = await opened.session.client.callTool({
      name: 'get_progressive_detail',
      arguments: { conversationId: 'pages', cursor: '1' },
    });
    expect(answer._meta?.['daybook/error']).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'cursor' },
    });
  });
});

it('get_progressive_detail explains why a conversation without text has no summary', async () => {
  await save('rules', [['system', 'Answer in metric units.']]);
  const brief = await detailOf({ conversationId: 'rules' });
  expect(brief.summary).toBeUndefined();
  expect(brief.note).toContain('no text of a user');
  expect((await detailOf({ conversationId: 'rules', level: 'full' })).note).toBeUndefined();
});

describe('get_context_summary', () => {
  it('summarises several conversations, most recently changed first', async () => {
    await save('garden');
    await save('server', [['user', 'The server moves to Hetzner in March because of the price.']]);
    const all = await summaryOf({});
    expect(all).toMatchObject({ total: 2, hasMore: false });
    expect(all.conversations.map(({ text }) => /Hetzner|larch/.exec(text)?.[0])).toEqual([
      'Hetzner',
      'larch',
    ]);
    const one = await summaryOf({ conversationIds: ['garden'] });
    expect(one.conversations).toHaveLength(1);
  });

  it('does not count a conversation that another process has just deleted', async () => {
    await save('garden');
    await save('server', [['user', 'The server moves to Hetzner in March because of the price.']]);
    const { conversationPath } = await conversationOf('garden');
    expect(await summaryOf({})).toMatchObject({ total: 2 });
    rmSync(conversationPath, { recursive: true });
    const { total, conversations, note } = await summaryOf({});
    expect({ total, found: conversations.length }).toEqual({ total: 1, found: 1 });
    expect(note).toContain('1 conversation');
  });

  it('says that a conversation could not be read', async () => {
    await save('garden');
    const { conversationPath } = await conversationOf('garden');
    await writeFile(join(conversationPath, 'conversation.json'), '{ broken');
    await expect
      .poll(() => summaryOf({}))
      .toMatchObject({
        total: 0,
        note: expect.stringContaining('store_info'),
      });
    const figures = { note: expect.stringContaining('store_info') };
    expect(await call('get_analytics', {})).toMatchObject(figures);
  });

  it('summarises only the messages in the time range, and does not store that summary', async () => {
    await save('garden');
    const { messages, conversationPath } = await conversationOf('garden');
    const part = await summaryOf({ endDate: messages?.[1]?.createdAt });
    expect(part.conversations[0]).toMatchObject({ isPart: true, messages: 2 });
    expect(part.conversations[0]?.text).not.toContain('Martin');
    const none = await summaryOf({ startDate: '2999-01-01' });
    expect(none).toMatchObject({ total: 0, conversations: [], note: expect.any(String) });
    expect(existsSync(`${conversationPath}/summaries.json`)).toBe(false);
  });

  it('finds messages that are older than their conversation, and counts only what is in the range', async () => {
    const put = async (id: string, content: object) => {
      const folder = join(opened.place.root, 'conversation-logs', id);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'conversation.json'), JSON.stringify(content));
    };
    const said = (role: string, content: string, createdAt: string) => ({
      role,
      content,
      createdAt,
    });
    await put('20261126-1795651200000', {
      title: 'by hand',
      messages: [said('user', 'We chose oak for the floor.', '2026-03-05T10:00:00Z')],
    });
    await put('20260101-1767225600000', {
      title: 'January and May',
      messages: [
        said('user', 'In January we froze.', '2026-01-01T00:00:00Z'),
        said('user', 'In May we swam.', '2026-05-01T00:00:00Z'),
      ],
    });
    // A file that a person wrote is read a moment later.
    await expect.poll(async () => (await summaryOf({})).total).toBe(2);
    const march = await summaryOf({ startDate: '2026-03-01', endDate: '2026-03-31' });
    expect(march).toMatchObject({ total: 1, conversations: [{ title: 'by hand' }] });
    expect(march.conversations[0]?.text).toContain('oak');
  });

  it('does not list a question as open that was answered after the range', async () => {
    await save('port', [
      ['user', 'We set up the ledger API. Which port does the ledger API listen on?'],
      ['assistant', 'The ledger API listens on port 8080.'],
    ]);
    const { messages } = await conversationOf('port');
    const part = await summaryOf({ endDate: messages?.[0]?.createdAt, level: 'standard' });
    expect(part.conversations[0]).toMatchObject({ isPart: true, messages: 1 });
    expect(part.conversations[0]?.text).not.toContain('Open');
    await save('colour', [['user', 'We paint the wall. Which colour does the wall get?']]);
    const open = await summaryOf({ conversationIds: ['colour'], level: 'standard' });
    expect(open.conversations[0]?.text).toContain('Open');
  });

  it('the next page continues after a full answer', async () => {
    for (let n = 0; n < 12; n += 1) {
      await save(`talk-${n}`, [
        [
          'user',
          `The turbine number ${n} of the wind farm at the north coast needs a new bearing, fresh oil and a person who climbs up.`,
        ],
      ]);
    }
    const seen = new Set<string>();
    let offset = 0;
    for (let pages = 0; pages < 20; pages += 1) {
      const page = await summaryOf({ maxTokens: 500, offset });
      for (const { conversationId } of page.conversations) seen.add(conversationId);
      if (!page.hasMore) break;
      offset = page.nextOffset ?? 0;
    }
    expect(seen.size).toBe(12);
  });
});
