/** `session_start` for a conversation in a large file: it reads the last messages, not the whole file. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Session, withClient, withPlace } from '../../e2e/harness.js';

const ID = '20250301-1740787200000';
const START = 1_740_787_200_000;
const HOUR = 3_600_000;
const COUNT = 2_500;
const FILLER = 'The quick brown fox jumps over the lazy dog. '.repeat(60);

const LAST = ['Which colour has the boat house?', 'I will let you know.'];

/** One message a second, with a pause of a day before the message `pauseBefore`, from 1. */
function conversationText(pauseBefore: number): string {
  const messages = Array.from({ length: COUNT }, (_, at) => ({
    id: `id-${at + 1}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: LAST[at - COUNT + LAST.length] ?? `Message ${at + 1}. ${FILLER}`,
    createdAt: new Date(START + at * 1000 + (at + 1 >= pauseBefore ? 24 * HOUR : 0)).toISOString(),
  }));
  return JSON.stringify({ title: 'Large', messages });
}

const start = async (session: Session) =>
  (await session.call('session_start', { maxTokens: 600 })) as unknown as {
    notes: string[];
    session: { fromSeq?: number; messages: number };
    openQuestions: { text: string; seq: number }[];
    lastTurns: { seq: number; messageId: string }[];
  };

it.each([
  ['short', COUNT - 300],
  ['longer than what is read at first', 201],
  ['the whole conversation', 1],
])('session_start of a large file returns the same as of a small one: the last session is %s', async (_, pauseBefore) => {
  await withPlace(async (place) => {
    const file = join(place.root, 'conversation-logs', ID, 'conversation.json');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, conversationText(pauseBefore));
    await withClient(place, async (session) => {
      const shown = await start(session);
      expect(shown.session).toMatchObject({ messages: COUNT - pauseBefore + 1 });
      expect(shown.openQuestions).toMatchObject([
        { text: 'Which colour has the boat house?', seq: COUNT - 1 },
      ]);
      expect(shown.lastTurns.at(-1)).toMatchObject({ seq: COUNT, messageId: `id-${COUNT}` });
    });
  });
});

it('session_start does not read the beginning of a large file', async () => {
  await withPlace(async (place) => {
    const file = join(place.root, 'conversation-logs', ID, 'conversation.json');
    mkdirSync(join(file, '..'), { recursive: true });
    const bytes = Buffer.from(conversationText(COUNT - 300));
    writeFileSync(file, bytes);
    const time = new Date(START);
    utimesSync(file, time, time);
    const shown = async () => {
      const { notes: _, ...rest } = await withClient(place, start);
      return rest;
    };
    const before = await shown();
    // The same stamp, so that the next server uses the cache of the first one.
    writeFileSync(file, Buffer.from(bytes).fill('x', 0, 1000));
    utimesSync(file, time, time);
    expect(await shown()).toEqual(before);
  });
});
