/** `daybook restore` with the name of an item: what is restored, and what stops it. */
import { describe, expect, it } from 'vitest';
import { restoreDeleted } from '../../src/cli/commands/restore-deleted.js';
import { conversationText, doctorPlace, ID } from '../doctor/place.js';

describe('a restore from an archive', () => {
  it('is stopped by Ctrl-C, and nothing was restored', async () => {
    const place = doctorPlace();
    place.write(`conversation-logs/${ID}/conversation.json`, conversationText(['said long ago']));
    await place.withApp(async (app) => {
      const { archives, conversations } = app;
      await archives.archive(await archives.choose({ olderThanDays: 1 }));
      expect(await conversations.exists(ID)).toBe(false);
      const call = { app, flags: {}, json: true };
      const signal = AbortSignal.abort();
      await expect(restoreDeleted(ID, undefined, { ...call, signal })).rejects.toThrow('abort');
      expect(await conversations.exists(ID)).toBe(false);
    });
  });
});
