/** `daybook restore` with the name of an item: what is restored, and what stops it. */
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { restoreDeleted } from '../../src/cli/commands/restore-deleted.js';
import { conversationText, type DoctorPlace, doctorPlace, ID } from '../doctor/place.js';
import { errorOf } from '../support/error-of.js';

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

describe('a restore of an insight', () => {
  const restore = (what: string, app: App) =>
    restoreDeleted(what, undefined, {
      app,
      flags: {},
      json: true,
      signal: new AbortController().signal,
    });
  const AT = '20260301T101500123Z';
  const idOf = (start: string) => `${start}-0000-4000-8000-000000000000`;
  const trashed = (place: DoctorPlace, start: string) =>
    place.write(
      `memory-bank/.trash/insights/${idOf(start)}.${AT}.json`,
      JSON.stringify({ content: 'peas', context: 'global' }),
    );
  const present = async ({ insights }: App) =>
    (await insights.all()).map(({ insight }) => insight.id);

  it('accepts the beginning of the id, as other commands do', async () => {
    const place = doctorPlace();
    trashed(place, '6fa40001');
    trashed(place, '6fa40002');
    await place.withApp(async (app) => {
      expect((await errorOf(restore('6fa4', app))).code).toBe('CONFLICT');
      expect((await errorOf(restore('6fa', app))).code).toBe('VALIDATION_ERROR');
      expect((await errorOf(restore('6fa5', app))).code).toBe('VALIDATION_ERROR');
      await restore('6FA40001', app);
      expect(await present(app)).toEqual([idOf('6fa40001')]);
      await restore('6fa4', app);
      expect((await present(app)).sort()).toEqual([idOf('6fa40001'), idOf('6fa40002')]);
    });
  });

  it('does not replace a conversation with this key', async () => {
    const place = doctorPlace();
    trashed(place, 'beef0001');
    trashed(place, 'beef0002');
    place.write(
      `conversation-logs/.trash/${ID}.${AT}/conversation.json`,
      conversationText(['soup'], { clientId: 'beef' }),
    );
    await place.withApp(async (app) => {
      await restore('beef', app);
      expect(await app.conversations.exists(ID)).toBe(true);
      expect(await present(app)).toEqual([]);
    });
  });
});
