/** JSON text can have a number that no program can hold, such as 1e400. It would be stored as null. */
import { expect, it } from 'vitest';
import { useToolSession } from '../support/tool-session.js';

const opened = useToolSession();
const TOO_LARGE = { a: [{ b: JSON.parse('1e400') }] };

it('every tool refuses a number in metadata that would be stored as null', async () => {
  const { call, failure } = opened.session;
  const { conversationId } = await call('save_message', { role: 'user', content: 'one' });
  const { id } = await call('save_insight', { content: 'peas', context: 'global' });
  const calls = (json: object) =>
    [
      ['save_message', { role: 'user', content: 'two', metadata: json }],
      ['update_conversation', { conversationId, metadata: json }],
      ['history_threads_create', { module: 'plan', meta: json }],
      [
        'history_threads_append_message',
        { threadId: conversationId, role: 'user', body: 'two', metadata: json },
      ],
      ['save_insight', { content: 'beans', context: 'global', metadata: json }],
      ['update_insight', { id, metadata: json }],
      ['set_state', { values: json }],
    ] as const;
  for (const [name, args] of calls(TOO_LARGE)) {
    expect([name, (await failure(name, args)).code]).toEqual([name, 'VALIDATION_ERROR']);
  }
  expect(await call('get_conversations')).toMatchObject({ total: 1 });
  for (const [name, args] of calls({ a: [{ b: 1e300 }] })) {
    expect([name, await call(name, args)]).toMatchObject([name, { success: true }]);
  }
});
