/** Names of conversations on the command line: keys, ids, beginnings, titles, and `last`. */
import { describe, expect, it } from 'vitest';
import {
  findConversation,
  findExisting,
  namesOf,
} from '../../src/cli/arguments/find-conversation.js';
import { openStore } from '../stores/conversations/store.js';
import { errorOf } from '../support/error-of.js';

const [A, B, C] = ['20250101-1735689600000', '20250102-1735776000000', '20250210-1739145600000'];

async function withThree() {
  const opened = await openStore();
  const at = (day: number) => `2025-03-0${day}T00:00:00.000Z`;
  opened.put(A, { clientId: 'garden-plan', title: 'The Garden', updatedAt: at(3), messages: [] });
  opened.put(B, { clientId: 'garden-2', title: 'Great things', updatedAt: at(2), messages: [] });
  opened.put(C, { title: 'great\n\twide', updatedAt: at(1), messages: [] });
  return opened;
}

describe('a name of a conversation', () => {
  it.each([
    ['garden-plan', A],
    [A, A],
    ['20250102', B],
    ['2025021', C],
    ['last', A],
    ['the garden', A],
    ['THE GAR', A],
    ['garden-p', A],
    ['Great wide', C],
    ['great w', C],
    ['Great th', B],
  ])('%s is found', async (name, id) => {
    const { store } = await withThree();
    expect(await findConversation(store, name)).toBe(id);
  });

  it.each(['', ' ', 'nothing', '20', '2024', 'lasting'])('%j is not found', async (name) => {
    const { store } = await withThree();
    expect((await errorOf(findConversation(store, name))).code).toBe('CONVERSATION_NOT_FOUND');
  });

  it.each([
    ['garden', [A, B]],
    ['2025', [A, B, C]],
  ])('%s that matches several is refused with their ids', async (name, ids) => {
    const { store } = await withThree();
    const { code, details } = await errorOf(findConversation(store, name));
    expect(code).toBe('CONFLICT');
    const fitting: unknown = details?.['conversationIds'];
    expect(Array.isArray(fitting) && fitting.sort()).toEqual(ids);
  });

  it('that a conversation and its branch have is refused, and the branch is named as one', async () => {
    const { store, put } = await withThree();
    const branchOf = { conversationId: A, messageId: 'm1' };
    put('20250103-1735862400000', { title: 'The Garden', branchOf, messages: [] });
    const { code, hint, message } = await errorOf(findConversation(store, 'the garden'));
    expect(code).toBe('CONFLICT');
    expect(message.split(A)).toHaveLength(3);
    expect(hint).not.toContain('more of the name');
  });

  it('is the id if two conversations have the same key', () => {
    const heads = [
      { conversationId: A, clientId: 'plan' },
      { conversationId: B, clientId: 'plan' },
      { conversationId: C, clientId: 'own' },
      { conversationId: C, clientId: 'own' },
    ];
    expect([...namesOf(heads)]).toEqual([
      [A, A],
      [B, B],
      [C, 'own'],
    ]);
  });

  it('in a store without conversations is refused with how to save one', async () => {
    const { store } = await openStore();
    const { code, message, hint } = await errorOf(findConversation(store, 'last'));
    expect(code).toBe('CONVERSATION_NOT_FOUND');
    expect(`${message} ${hint}`).toContain(
      'The store has no conversation. To start one, run daybook save',
    );
  });

  it('that is a complete id is found without reading the other conversations', async () => {
    const { store } = await withThree();
    expect(await findConversation(store, A)).toBe(A);
    expect(store.knownHead(B)).toBeUndefined();
  });

  it('that is a key has priority over the word last', async () => {
    const { store, put } = await withThree();
    put('20250301-1740787200000', { clientId: 'last', messages: [] });
    expect(await findConversation(store, 'last')).toBe('20250301-1740787200000');
  });

  it('of a damaged file throws its error, and other names report the damage', async () => {
    const { store, put } = await withThree();
    const damaged = '20250303-1740960000000';
    put(damaged, '{');
    const byId = await errorOf(findConversation(store, damaged));
    expect(byId.code).toBe('CONVERSATION_CORRUPTED');
    expect((await errorOf(findConversation(store, 'lost'))).message).toContain(damaged);
  });

  it('for a save is a whole title or key, or a new key', async () => {
    const { store } = await withThree();
    expect(await findExisting(store, 'the garden')).toBe(A);
    expect(await findExisting(store, 'last')).toBe(A);
    expect(await findExisting(store, 'garden')).toBeUndefined();
    expect(await findExisting(store, '2025')).toBeUndefined();
  });
});
