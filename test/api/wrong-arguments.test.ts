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
