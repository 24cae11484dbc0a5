/** A program that passes something wrong gets an error; nothing is stored, nothing hangs. */
import { expect, it } from 'vitest';
import { openDaybook } from '../../src/index.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

it('metadata that contains itself is refused', async () => {
  const daybook = await openDaybook({ root: tempFolder() });
  try {
    const metadata: Record<string, unknown> = {};
    metadata['itself'] = metadata;
    const message = { role: 'user', content: 'x', metadata: metadata as never } as const;
    const adding = daybook.conversations.append('k', [message], { create: true });
    expect((await errorOf(adding)).code).toBe('VALIDATION_ERROR');
    const saving = daybook.call('save_message', message);
    expect((await errorOf(saving)).code).toBe('VALIDATION_ERROR');
    expect(await daybook.conversations.list()).toEqual([]);
  } finally {
    await daybook.close();
  }
});

it('options that do not exist, and a signal in an object, are refused', async () => {
  const wrong = openDaybook({ rot: tempFolder() } as never);
  expect(await errorOf(wrong)).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { field: 'rot' },
  });
  const daybook = await openDaybook({ root: tempFolder() });
  try {
    const { signal } = new AbortController();
    const saving = daybook.call('save_message', { role: 'user', content: 'x' }, {
      signal,
    } as never);
    expect((await errorOf(saving)).code).toBe('VALIDATION_ERROR');
    expect(await daybook.conversations.list()).toEqual([]);
  } finally {
    await daybook.close();
  }
});

/** A key instead of an id, a date instead of a number, a role in another case. */
const WRONG_FILTERS = [{ conversationId: 'k' }, { startTime: '2026-10-20' }, { role: 'User' }].map(
  (filters) => ({ filters }),
);

it('an argument that is undefined counts as omitted, and unknown options are refused', async () => {
  const daybook = await openDaybook({ root: tempFolder() });
  try {
    await daybook.conversations.append('k', [{ role: 'user', content: 'tomatoes' }], {
      create: true,
    });
    const found = await daybook.call('search_messages', { query: 'tomatoes', module: undefined });
    expect(found['total']).toBe(1);
    const wrong = { code: 'VALIDATION_ERROR' };
    for (const given of [{ limt: 0 }, { filters: { modul: 'zzz' } }, ...WRONG_FILTERS]) {
      expect(await errorOf(daybook.search('tomatoes', given as never))).toMatchObject(wrong);
    }
    expect(await errorOf(daybook.call(5 as never))).toMatchObject(wrong);
  } finally {
    await daybook.close();
  }
});

it('what the library returns is a copy, and metadata that JSON does not have is refused', async () => {
  const daybook = await openDaybook({ root: tempFolder() });
  try {
    const { conversations } = daybook;
    const tags = ['good'];
    await conversations.append('k', [{ role: 'user', content: 'one' }], { create: { tags } });
    const loaded = await conversations.load('k');
    (loaded.tags as string[]).push('evil');
    Object.assign(loaded.messages[0] ?? {}, { content: 'changed' });
    await conversations.append('k', [{ role: 'user', content: 'two' }]);
    const now = await conversations.load('k');
    expect(now.tags).toEqual(['good']);
    expect(now.messages.map(({ content }) => content)).toEqual(['one', 'two']);
    for (const value of [Number.NaN, new Map(), () => 1, { a: [1n] }]) {
      const message = { role: 'user', content: 'three', metadata: { value } as never } as const;
      const error = await errorOf(conversations.append('k', [message]));
      expect(error.code).toBe('VALIDATION_ERROR');
    }
    expect((await conversations.load('k')).messageCount).toBe(2);
  } finally {
    await daybook.close();
  }
});

it('a part that only another store has is undefined', async () => {
  const daybook = await openDaybook({ root: tempFolder() });
  try {
    expect(Reflect.get(daybook.insights, 'history')).toBeUndefined();
    expect(Reflect.get(daybook.conversations, 'history')).toBeDefined();
  } finally {
    await daybook.close();
  }
});
