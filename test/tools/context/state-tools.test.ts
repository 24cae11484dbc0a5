/** `get_state` and `set_state` through the official client, on a real file. */
import { describe, expect, it } from 'vitest';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();
const call = (name: string, args: Record<string, unknown> = {}) => opened.session.call(name, args);

describe('the state', () => {
  it('returns the active conversation, and reports that it was deleted', async () => {
    expect(await call('get_state')).toEqual({ success: true, values: {}, valuesUpdatedAt: {} });
    const missing = { activeConversation: 'k' };
    expect((await opened.session.failure('set_state', missing)).code).toBe(
      'CONVERSATION_NOT_FOUND',
    );
    await call('save_message', { conversationId: 'k', role: 'user', content: 'Hi' });
    const set = await call('set_state', { activeConversation: 'k', contextWindow: 12 });
    expect(set).toMatchObject({ updated: ['activeConversation', 'contextWindow'], keys: [] });
    expect(await call('get_state')).toMatchObject({
      activeConversation: 'k',
      activeConversationFound: true,
      contextWindow: 12,
    });
    await call('delete_conversation', { conversationId: 'k' });
    expect(await call('get_state')).toMatchObject({ activeConversationFound: false });
    const none = await call('set_state', { activeConversation: null });
    expect(none['activeConversation']).toBeUndefined();
  });

  it('reports what was not stored', async () => {
    const plan = { steps: ['call <private>Ada</private>'] };
    const set = await call('set_state', { values: { plan, gone: null } });
    expect(set['note']).toContain('Not stored: 1 part (private part).');
    expect(await call('get_state')).toMatchObject({
      values: { plan: { steps: ['call [private part left out]'] } },
    });
    expect((await call('set_state', { values: { plan: 'none' } }))['note']).toBeUndefined();
    await call('set_state', { values: { plan: null } });
  });

  it('sets how many messages get_conversation and session_start return by default', async () => {
    for (const content of ['one', 'two', 'three'])
      await call('save_message', { conversationId: 'window', role: 'user', content });
    const contents = async () => {
      const read = await call('get_conversation', { conversationId: 'window' });
      const start = await call('session_start', { timeZone: 'Asia/Qatar' });
      expect(JSON.stringify(start['session'])).toContain('(Asia/Qatar)');
      return [read['messages'], start['lastTurns']].map((list) =>
        (list as { content: string }[]).map(({ content }) => content),
      );
    };
    await call('set_state', { contextWindow: null });
    expect(await contents()).toEqual([
      ['one', 'two', 'three'],
      ['one', 'two', 'three'],
    ]);
    await call('set_state', { contextWindow: 2 });
    expect(await contents()).toEqual([
      ['two', 'three'],
      ['two', 'three'],
    ]);
    const asked = await call('get_conversation', { conversationId: 'window', messageLimit: 3 });
    expect(asked['messages']).toHaveLength(3);
    const wrong = await opened.session.failure('session_start', { timeZone: 'Mars/Olympus' });
    expect(wrong.code).toBe('VALIDATION_ERROR');
  });

  it('keeps values of any key, returns the requested ones, and does not exceed its budget', async () => {
    await call('set_state', { values: { a: [1, { b: null }], gone: 1, ['__proto__']: 2 } });
    const set = await call('set_state', { values: { gone: null, long: 'x'.repeat(9000) } });
    expect(set['keys']).toEqual(['a', '__proto__', 'long']);
    const all = await call('get_state', { maxTokens: 1000 });
    expect(all).toMatchObject({ values: { a: [1, { b: null }] }, omittedKeys: ['long'] });
    const one = await call('get_state', { keys: ['long', 'none'] });
    expect(Object.keys(one['values'] as object)).toEqual(['long']);
    expect((await opened.session.failure('set_state', {})).code).toBe('VALIDATION_ERROR');
  });
});
