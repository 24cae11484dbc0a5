/** A permanent removal asks on a terminal, and needs `--yes` without a terminal. */
import { describe, expect, it } from 'vitest';
import { runInTerminal } from '../support/terminal.js';
import { type Place, runCommand, withPlace } from './harness.js';

interface Kind {
  readonly kind: string;
  readonly words: readonly string[];
  readonly name: string;
  readonly asks: string;
  readonly save: readonly string[];
}

const ID = '6fa459ea-ee8a-4ca4-894e-db77e160355e';
const insight = JSON.stringify({ id: ID, content: 'Sand for clay', context: 'global' });
const kinds: readonly Kind[] = [
  {
    kind: 'a note',
    words: ['mb', 'delete'],
    name: 'a.md',
    save: ['mb', 'add', 'a.md', 'Sand'],
    asks: 'Remove the note a.md permanently?',
  },
  {
    kind: 'an insight',
    words: ['insight', 'delete'],
    name: ID.slice(0, 4),
    save: ['insight', 'import', '-'],
    asks: `Remove the insight ${ID}, Sand for clay, permanently?`,
  },
  {
    kind: 'a conversation',
    words: ['delete'],
    name: 'plan',
    save: ['save', 'user', 'Sand', '--conversation-id', 'plan'],
    asks: 'Remove plan, "Sand", 1 message permanently?',
  },
];

const run = (place: Place, words: readonly string[], stdin = '') =>
  runCommand(place, words, place.folder, stdin);

describe.each(kinds)('the permanent removal of $kind', ({ words, name, save, asks }) => {
  const args = [...words, name, '--permanent'];

  it('asks on a terminal, and is done only after a yes', async () => {
    await withPlace(async (place) => {
      await run(place, save, insight);
      const no = await runInTerminal(place, args, { answers: [{ after: '[y/N]', type: 'n\n' }] });
      expect(no.code, no.screen).toBe(1);
      expect(no.screen).toContain(asks);
      expect(no.screen).toContain('Nothing was deleted.');
      const yes = await runInTerminal(place, args, { answers: [{ after: '[y/N]', type: 'y\n' }] });
      expect(yes.code, yes.screen).toBe(0);
      expect(yes.screen).toContain('Removed permanently: ');
    });
  });

  it('needs --yes without a terminal', async () => {
    await withPlace(async (place) => {
      await run(place, save, insight);
      const refused = await run(place, [...args, '--json']);
      expect(refused.code).toBe(2);
      expect(JSON.parse(refused.stdout).error.hint).toContain('Nothing was deleted.');
      expect((await run(place, [...args, '--yes'])).stdout).toContain('Removed permanently: ');
    });
  });

  it('removes what is already in the trash, and asks before', async () => {
    await withPlace(async (place) => {
      await run(place, save, insight);
      await run(place, [...words, name]);
      const no = await runInTerminal(place, args, { answers: [{ after: '[y/N]', type: 'n\n' }] });
      expect(no.screen).toContain('in the trash');
      const yes = await run(place, [...args, '--yes']);
      expect(yes).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Removed permanently'),
      });
      expect(JSON.parse((await run(place, ['trash', '--json'])).stdout).items).toEqual([]);
      expect((await run(place, [...args, '--yes'])).code).not.toBe(0);
    });
  });

  it('removes the one that exists, not an earlier one in the trash', async () => {
    await withPlace(async (place) => {
      await run(place, save, insight);
      await run(place, [...words, name]);
      await run(place, save, insight);
      expect((await run(place, [...args, '--yes'])).code).toBe(0);
      const { items } = JSON.parse((await run(place, ['trash', '--json'])).stdout);
      expect(items).toHaveLength(1);
      expect((await run(place, ['restore', items[0].name])).code).toBe(0);
    });
  });

  it('does not ask before a move to the trash', async () => {
    await withPlace(async (place) => {
      await run(place, save, insight);
      expect((await run(place, [...words, name])).stdout).toContain('Deleted: ');
    });
  });
});
