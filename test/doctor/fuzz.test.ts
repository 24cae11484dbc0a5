/**
 * Random damage of several kinds in every kind of file: the store opens, a search and the doctor do not
 * fail, and neither the damage nor a repair loses an undamaged conversation.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_KINDS } from '../../src/base/errors.js';
import { ask } from '../search/search-place.js';
import { DAMAGES } from '../support/damages.js';
import { printedRandom, rounds, timeLimitMs } from '../support/rounds.js';
import { conversationText, type DoctorPlace, doctorPlace, ID, signal } from './place.js';

const ROUNDS = rounds(2);
const HEALTHY = '20250124-1706102400777';
const VERSION = 'versions/0001.20991231T000000000Z.edit.json';
const TRASHED =
  'conversation-logs/.trash/20250124-1706102400999.20250601T000000000Z/conversation.json';
const INSIGHT = '6fa459ea-ee8a-4ca4-894e-db77e160355e';

async function fill(place: DoctorPlace): Promise<void> {
  place.write(
    `conversation-logs/${ID}/conversation.json`,
    conversationText(['raven one', 'two'], { title: 'T' }),
  );
  const healthy = conversationText(['healthy raven'], { conversationId: HEALTHY });
  place.write(`conversation-logs/${HEALTHY}/conversation.json`, healthy);
  place.write(
    `conversation-logs/${ID}/summaries.json`,
    JSON.stringify({ formatVersion: 1, summaries: { brief: { text: 'brief' } } }),
  );
  place.write(`conversation-logs/${ID}/${VERSION}`, conversationText(['before']));
  place.write(TRASHED, conversationText(['gone']));
  place.write(
    'conversation-logs/retention.json',
    JSON.stringify({ formatVersion: 1, rules: [{ olderThanDays: 36_000 }], bySize: false }),
  );
  place.write(
    'memory-bank/kg_rejects.log',
    `${JSON.stringify({ file: 'kg_wal.log', line: 1, text: 'x' })}\n`,
  );
  place.write(`conversation-logs/${ID}/job.json`, JSON.stringify({ state: 'running' }));
  await place.withApp(async ({ state, kg, insights, memoryBank, backups }) => {
    await state.set({ values: { a: 1 } });
    for (const n of [1, 2, 3]) await kg.add([{ subject: `s${n}`, predicate: 'p', object: 'o' }]);
    await kg.save();
    await kg.add([{ subject: 's4', predicate: 'p', object: 'o' }]);
    await insights.put({
      insight: {
        id: INSIGHT,
        content: 'healthy insight',
        context: 'global',
        created_at: 1,
        updated_at: 1,
      },
      extra: {},
    });
    await memoryBank.add('note.md', 'healthy raven note\n');
    const { path } = await backups.make();
    const bytes = readFileSync(path);
    place.write('backups/daybook-20250101T000000Z.tar.gz', bytes);
    place.write('archive/conversations-2020-01.tar.gz', bytes);
  });
}

const FILES = [
  `conversation-logs/${ID}/${VERSION}`,
  TRASHED,
  'conversation-logs/retention.json',
  'memory-bank/kg_rejects.log',
  'backups/daybook-20250101T000000Z.tar.gz',
  'archive/conversations-2020-01.tar.gz',
  `conversation-logs/${ID}/conversation.json`,
  `conversation-logs/${ID}/summaries.json`,
  `conversation-logs/${ID}/job.json`,
  'conversation-logs/state.json',
  'memory-bank/note.md',
  `memory-bank/insights/${INSIGHT}.json`,
  'memory-bank/kg_snapshot.json',
  'memory-bank/kg_wal.log',
  'memory-bank/kg_snapshot.sha256',
];

/** Searches, and runs the doctor: the undamaged conversation is found, and no check fails. */
async function look(place: DoctorPlace): Promise<void> {
  await place.withApp(async ({ doctor, search, conversations }) => {
    const { hits } = await ask({ search }, 'raven', { limit: 9 });
    expect(hits.map(({ conversationId }) => conversationId)).toContain(HEALTHY);
    expect((await conversations.load(HEALTHY)).messages).toHaveLength(1);
    const { steps } = await doctor.examine({ signal });
    expect(steps.filter(({ error }) => error !== undefined)).toEqual([]);
  });
}

describe('damage in every file at once', () => {
  it.each(Object.keys(DAMAGES))(
    'does not prevent a search or a repair: %s',
    { timeout: timeLimitMs(300_000) },
    async (kind) => {
      const place = doctorPlace();
      await fill(place);
      const whole = FILES.map((file) => readFileSync(join(place.root, file)));
      const random = printedRandom(kind);
      for (let round = 0; round < ROUNDS; round += 1) {
        const broken = whole.map((bytes) => DAMAGES[kind]?.(bytes, random) ?? bytes);
        FILES.forEach((file, index) => {
          writeFileSync(join(place.root, file), broken[index] ?? '');
        });
        await look(place);
        for (const done of await place.repair())
          expect(Object.keys(ERROR_KINDS)).not.toContain(done);
        await look(place);
        FILES.forEach((file, index) => {
          if (file.startsWith('conversation-logs'))
            requireKept(join(place.root, file), broken[index]);
        });
      }
    },
  );
});

/** A file that a repair replaced is kept beside the new one, unless the new one has all its messages. */
function requireKept(path: string, broken: Buffer | undefined): void {
  if (broken === undefined || readFileSync(path).equals(broken) || readable(broken)) return;
  const folder = dirname(path);
  const kept = readdirSync(folder).filter((name) => name.includes('.broken-'));
  expect(kept.some((name) => readFileSync(join(folder, name)).equals(broken))).toBe(true);
}

/** Whether the file has a list of messages. A repair keeps all of them, so it keeps no broken file. */
function readable(bytes: Buffer): boolean {
  try {
    return Array.isArray(JSON.parse(bytes.toString()).messages);
  } catch {
    return false;
  }
}
