/** Two server processes on one root, as two MCP clients start them: nothing is lost or doubled. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentsOf, type Session, withClient, withPlace } from './harness.js';

const EACH = 200;
const numbers = Array.from({ length: EACH }, (_, index) => index);

async function onTwoServers(work: (a: Session, b: Session, root: string) => Promise<void>) {
  await withPlace((place) =>
    withClient(place, (a) => withClient(place, (b) => work(a, b, place.root))),
  );
}

describe('two servers on one root', () => {
  it('save 200 messages each to one conversation at the same time, each in its own order', async () => {
    await onTwoServers(async (a, b) => {
      const send = ({ call }: Session, who: string) =>
        numbers.map((n) =>
          call('save_message', { conversationId: 'shared', role: 'user', content: `${who} ${n}` }),
        );
      await Promise.all([...send(a, 'a'), ...send(b, 'b')]);
      const contents = await contentsOf(a.call, 'shared');
      for (const who of ['a', 'b']) {
        const own = contents.filter((content) => content.startsWith(who));
        expect(own).toEqual(numbers.map((n) => `${who} ${n}`));
      }
      expect(contents).toHaveLength(2 * EACH);
    });
  });

  it('start 200 conversations each at the same time, in 400 folders', async () => {
    await onTwoServers(async (a, b, root) => {
      const send = ({ call }: Session) =>
        numbers.map((n) => call('save_message', { role: 'user', content: String(n) }));
      const saved = await Promise.all([...send(a), ...send(b)]);
      expect(new Set(saved.map(({ conversationId }) => conversationId)).size).toBe(2 * EACH);
      const names = await readdir(join(root, 'conversation-logs'));
      expect(names.filter((name) => /^\d{8}-\d{13}$/.test(name))).toHaveLength(2 * EACH);
    });
  });
});
