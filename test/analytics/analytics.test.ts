/** `get_analytics` and `daybook stats` on real files: sums, zones, edits by hand, what is wrong. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Place, runCommand, withClient, withPlace } from '../e2e/harness.js';

const ENV = { DAYBOOK_TOOLSETS: 'all', DAYBOOK_TIME_ZONE: 'UTC' };
const withTools = (place: Place): Place => ({ ...place, env: { ...place.env, ...ENV } });

interface Given {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly createdAt: string;
  readonly metadata?: object;
}

async function write({ root }: Place, id: string, head: object, messages: readonly Given[]) {
  const folder = join(root, 'conversation-logs', id);
  await mkdir(folder, { recursive: true });
  const document = {
    conversationId: id,
    formatVersion: 1,
    messageCount: messages.length,
    createdAt: messages[0]?.createdAt,
    updatedAt: messages.at(-1)?.createdAt,
    ...head,
    messages: messages.map((each, n) => ({ id: `${id}-${n}`, ...each })),
  };
  await writeFile(join(folder, 'conversation.json'), JSON.stringify(document));
}

const BEES = '20250124-1706102400123';
const MILL = '20250301-1740787200000';
const cost = (total: number) => ({
  model: 'sonar',
  usage: { totalTokens: 900 },
  cost: { currency: 'USD', total },
});

/** A Friday night in UTC, and a Saturday in March. */
async function prepare(place: Place): Promise<void> {
  await write(place, BEES, { title: 'Bees', module: 'garden' }, [
    { role: 'user', content: 'Do bees sleep?', createdAt: '2025-01-24T23:30:00Z' },
    {
      role: 'assistant',
      content: 'Bees sleep at night.',
      createdAt: '2025-01-24T23:30:40Z',
      metadata: cost(0.1),
    },
    {
      role: 'assistant',
      content: 'Bees rest, too.',
      createdAt: '2025-01-24T23:45:00Z',
      metadata: cost(0.2),
    },
  ]);
  await write(place, MILL, { title: 'The mill' }, [
    { role: 'user', content: 'The mill wheel, 水車', createdAt: '2025-03-01T10:00:00Z' },
  ]);
}

describe('get_analytics', () => {
  it('counts by period, module, role and model, with the cost', async () => {
    await withPlace(async (place) => {
      await prepare(place);
      await withClient(withTools(place), async ({ call }) => {
        const all = await call('get_analytics');
        expect(all).toMatchObject({
          timeZone: 'UTC',
          totals: {
            conversations: 2,
            messages: 4,
            words: 15,
            billedTokens: 1800,
            costs: [{ currency: 'USD', total: 0.3 }],
          },
          pace: { sessions: 2, longestMinutes: 15, medianPauseSeconds: 450 },
          periods: [
            { name: '2025-01', messages: 3 },
            { name: '2025-03', messages: 1 },
          ],
          modules: [
            { name: 'garden', conversations: 1 },
            { name: '', messages: 1 },
          ],
          roles: [
            { name: 'assistant', messages: 2 },
            { name: 'user', conversations: 2 },
          ],
          models: [{ name: 'sonar', messages: 2, billedTokens: 1800 }],
          conversations: [{ conversationId: BEES, title: 'Bees', minutes: 15 }, { minutes: 0 }],
        });
        expect((all['week'] as number[][])[4]?.[23]).toBe(3);
        expect((all['topics'] as { word: string }[])[0]).toEqual({
          word: 'bees',
          messages: 3,
          conversations: 1,
        });
        const asked = { period: 'day', include: ['periods', 'week'], timeZone: 'Asia/Qatar' };
        const east = await call('get_analytics', { ...asked, from: '2025-01-25', role: 'user' });
        expect(east).toMatchObject({
          totals: { messages: 2 },
          periods: [{ name: '2025-01-25' }, {}],
        });
        expect((east['week'] as number[][])[5]?.[2]).toBe(1);
        expect(east['topics']).toBeUndefined();
      });
    });
  });

  it('follows what is saved, edited by hand and deleted', async () => {
    await withPlace(async (place) => {
      await prepare(place);
      await withClient(withTools(place), async ({ call }) => {
        const totals = async () => {
          const asked = { module: 'garden', include: [] };
          return (await call('get_analytics', asked))['totals'] as Record<string, number>;
        };
        expect(await totals()).toMatchObject({ messages: 3, words: 10 });
        await call('save_message', { conversationId: BEES, role: 'user', content: 'And wasps?' });
        expect(await totals()).toMatchObject({ messages: 4, words: 12 });
        const path = join(place.root, 'conversation-logs', BEES, 'conversation.json');
        const text = await readFile(path, 'utf8');
        await writeFile(path, text.replace('Do bees sleep?', 'Do all bees really sleep?'));
        await expect.poll(totals).toMatchObject({ messages: 4, words: 14 });
        await rm(join(path, '..'), { recursive: true, maxRetries: 5 });
        await expect.poll(totals).toMatchObject({ conversations: 0, messages: 0 });
      });
    });
  });

  it('keeps its size, and refuses what is no day or zone', async () => {
    await withPlace(async (place) => {
      const messages = Array.from({ length: 900 }, (_, n) => ({
        role: 'user' as const,
        content: `word ${n}`,
        createdAt: new Date(Date.UTC(2021, 0, 1 + n)).toISOString(),
      }));
      await write(place, BEES, {}, messages);
      await withClient(withTools(place), async ({ call, failure }) => {
        const asked = { period: 'day', include: ['periods'], maxTokens: 1000 };
        const days = await call('get_analytics', asked);
        expect(JSON.stringify(days).length).toBeLessThan(5000);
        const periods = days['periods'] as { name: string }[];
        expect(periods.at(-1)?.name).toBe('2023-06-19');
        expect(days['omittedPeriods']).toBe(900 - periods.length);
        for (const wrong of [{ from: 'once' }, { timeZone: 'Mars/Olympus' }])
          expect((await failure('get_analytics', wrong)).code).toBe('VALIDATION_ERROR');
      });
    });
  });
});

it('shares maxTokens among all lists, and says what it left out', async () => {
  await withPlace(async (place) => {
    for (let n = 0; n < 40; n += 1) {
      const createdAt = new Date(Date.UTC(2021, 0, 1 + n)).toISOString();
      const messages = [{ role: 'user' as const, content: `word ${n}`, createdAt }];
      const id = `${createdAt.slice(0, 10).replaceAll('-', '')}-${Date.parse(createdAt)}`;
      await write(place, id, { title: `Talk ${n}`, module: `module ${n}` }, messages);
    }
    await withClient(withTools(place), async ({ call }) => {
      const asked = { period: 'day', limit: 30, maxTokens: 2000 };
      const cut = await call('get_analytics', asked);
      expect(JSON.stringify(cut).length).toBeLessThan(8000);
      const lengthOf = (list: string) => (cut[list] as unknown[]).length;
      const omitted = cut['omitted'] as Record<string, number>;
      for (const list of ['modules', 'conversations']) {
        expect(lengthOf(list)).toBeGreaterThan(3);
        expect(omitted[list]).toBe(30 - lengthOf(list));
      }
      expect(cut['omittedPeriods']).toBe(40 - lengthOf('periods'));
      expect((cut['periods'] as { name: string }[]).at(-1)?.name).toBe('2021-02-09');
      expect(lengthOf('roles')).toBe(1);
      const whole = await call('get_analytics', { ...asked, maxTokens: 25_000 });
      expect(whole['omitted']).toBeUndefined();
    });
  });
});

it('prints a table as CSV that no spreadsheet computes', async () => {
  await withPlace(async (place) => {
    await write(place, BEES, { title: '=1+1, "x"', module: '@m' }, [
      { role: 'user', content: 'one two', createdAt: '2025-01-24T23:30:00Z', metadata: cost(0.5) },
    ]);
    const csv = async (table: string) =>
      (await runCommand(place, ['--root', place.root, 'stats', '--csv', table])).stdout.trim();
    expect(await csv('conversations')).toBe(
      'name,conversations,messages,words,tokens,billedTokens,cost (USD)\n"\'=1+1, ""x""",1,1,2,2,900,0.5',
    );
    expect(await csv('modules')).toContain("\n'@m,1,1,");
  });
});

it('counts the messages of answers that no service can have billed like this', async () => {
  await withPlace(async (given) => {
    const place = withTools(given);
    await withClient(place, async ({ call }) => {
      const answer = { conversationId: 'bees', role: 'assistant', content: 'Bees sleep.' };
      for (const metadata of [
        cost(1e303),
        cost(1.7e308),
        cost(1.7e308),
        { usage: { totalTokens: 1e308 } },
        { usage: { totalTokens: 0.5 } },
        cost(0.25),
      ])
        await call('save_message', { ...answer, metadata });
      expect(await call('get_analytics', {})).toMatchObject({
        totals: { messages: 6, billedTokens: 3600, costs: [{ currency: 'USD', total: 0.25 }] },
      });
      expect(await call('get_conversation', { conversationId: 'bees' })).toMatchObject({
        costs: [{ currency: 'USD', answers: 1, total: 0.25 }],
      });
    });
    expect((await runCommand(place, ['--root', place.root, 'stats'])).code).toBe(0);
  });
});
