/** A module whose name was typed in another form of Unicode than the folder that named it. */
import { expect, it } from 'vitest';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();
const call = (name: string, args: Record<string, unknown> = {}) => opened.session.call(name, args);

/** As macOS can name a folder: the letters and their accents are separate characters. */
const STORED = 'ガーデン café'.normalize('NFD');
const TYPED = STORED.normalize('NFC');

it('is found by every tool with a filter by module', async () => {
  const message = { role: 'user', content: 'Sow peas.' };
  await call('save_message', { ...message, conversationId: 'garden', module: STORED });
  await call('save_message', { ...message, conversationId: 'other', module: TYPED.toUpperCase() });
  const found = await Promise.all(
    [TYPED, STORED].flatMap((module) => [
      call('get_conversations', { module }),
      call('search_messages', { query: 'peas', module }),
      call('history_threads_list', { module }),
      call('history_threads_search', { q: 'peas', module }),
      call('history_messages_recent', { module }),
      call('get_context_summary', { module }),
    ]),
  );
  expect(found.map(({ total }) => total)).toEqual(found.map(() => 1));
  const { text } = await call('export_conversations', { format: 'jsonl', module: TYPED });
  expect(text).toContain('"clientId":"garden"');
  expect(text).not.toContain('"clientId":"other"');
  const { totals } = await call('get_analytics', { module: TYPED });
  expect(totals).toMatchObject({ messages: 1 });
  for (const name of ['get_analytics', 'export_conversations']) {
    const { note } = await call(name, { module: 'unknown' });
    expect(note).toContain('No conversation has the module');
  }
  const written = await call('export_conversations', { module: 'unknown', file: 'empty.md' });
  expect(written['note']).toContain('No conversation has the module');
});

it('is named once if both forms are in use', async () => {
  for (const module of [STORED, TYPED])
    await call('save_message', { role: 'user', content: 'Sow peas.', module });
  const { note } = await call('history_threads_list', { module: 'unknown' });
  expect(note).toBe(
    `No conversation has the module "unknown". Modules in use: ${JSON.stringify(TYPED)}.`,
  );
});
