/** A prompt while the folder of the store is missing. */
import { renameSync } from 'node:fs';
import { expect, it } from 'vitest';
import { useToolSession } from '../support/tool-session.js';

const opened = useToolSession();

it('says that its text may be incomplete', async () => {
  const { session, place } = opened;
  await session.call('save_message', { role: 'user', content: 'The roof leaks.' });
  const text = async () =>
    JSON.stringify(await session.client.getPrompt({ name: 'session_start', arguments: {} }));
  expect(await text()).not.toContain('durable');
  renameSync(place.root, `${place.root}-gone`);
  expect(await text()).toMatch(/The roof leaks.*durable: false/);
});
