/**
 * The system refuses to read or write the file of one conversation (EIO, EACCES). The error names the
 * file, the other conversations can be read and written, and nothing is lost when the fault ends.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { errorOf } from '../support/error-of.js';
import { tapFs } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';

const REFUSED = '20250124-1706102400123';
const HEALTHY = '20250124-1706102400124';
const CALLS = { reading: ['open', 'read', 'readFile'], writing: ['write', 'rename'] };

function place() {
  const folder = tempFolder();
  const logsFolder = join(folder, 'conversation-logs');
  const pathOf = (id: string) => join(logsFolder, id, 'conversation.json');
  for (const id of [REFUSED, HEALTHY]) {
    mkdirSync(join(logsFolder, id), { recursive: true });
    const messages = [{ role: 'user', content: `in ${id}` }];
    writeFileSync(pathOf(id), JSON.stringify({ conversationId: id, messages }));
  }
  const open = () => openConversationStore({ logsFolder, maxMessages: 100, fsync: true });
  /** Lets `calls` on the files of the refused conversation fail until the returned function is called. */
  const refuse = (calls: readonly string[], error: string) =>
    tapFs(folder, {
      before: ({ name, path }) =>
        path.includes(REFUSED) && calls.includes(name) ? { error } : undefined,
    });
  const bytes = () => readFileSync(pathOf(REFUSED), 'utf8');
  return { pathOf, open, refuse, bytes };
}

const say = (content: string) => [{ role: 'user', content }] as const;

describe.each(['EIO', 'EACCES'])('%s for the file of one conversation', (error) => {
  it('at a start gives an error with the path, and other conversations can be used', async () => {
    const { pathOf, open, refuse, bytes } = place();
    const before = bytes();
    const restore = await refuse(CALLS.reading, error);
    const store = await open();
    try {
      const listed = await store.list();
      expect(listed.map(({ conversationId }) => conversationId)).toEqual([HEALTHY]);
      expect((await store.load(HEALTHY)).messages).toHaveLength(1);
      for (const work of [store.load(REFUSED), store.append(REFUSED, say('lost'))]) {
        const refused = await errorOf(work);
        expect(refused.code).toBe('FILESYSTEM_ERROR');
        expect(refused.message).toContain(`${pathOf(REFUSED)} (`);
        expect(refused.message).toContain(`${error})`);
      }
      await store.append(HEALTHY, say('meanwhile'));
    } finally {
      await restore();
    }
    expect(bytes()).toBe(before);
    await store.refresh();
    expect(await store.list()).toHaveLength(2);
    await store.append(REFUSED, say('after'));
    const { messages } = await store.load(REFUSED);
    expect(messages.map(({ content }) => content)).toEqual([`in ${REFUSED}`, 'after']);
    expect((await store.load(HEALTHY)).messages).toHaveLength(2);
    await store.close();
  });

  it('at a write keeps the stored messages readable, and other conversations can be used', async () => {
    const { open, refuse, bytes } = place();
    const store = await open();
    await store.load(REFUSED);
    const before = bytes();
    const restore = await refuse(CALLS.writing, error);
    try {
      const refused = await errorOf(store.append(REFUSED, say('lost')));
      expect(refused.code).toBe('FILESYSTEM_ERROR');
      expect(refused.message).toContain(`${error})`);
      expect((await store.load(REFUSED)).messages).toHaveLength(1);
      await store.append(HEALTHY, say('meanwhile'));
    } finally {
      await restore();
    }
    expect(bytes()).toBe(before);
    await store.append(REFUSED, say('after'));
    const { messages } = await store.load(REFUSED);
    expect(messages.map(({ content }) => content)).toEqual([`in ${REFUSED}`, 'after']);
    await store.close();
  });
});
