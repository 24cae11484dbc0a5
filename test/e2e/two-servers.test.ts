/** Two server processes on one root, as two MCP clients start them: nothing is lost or doubled. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow } from '../support/files-below.js';
import {
  contentsOf,
  runCommand,
  runProcess,
  type Session,
  withClient,
  withPlace,
} from './harness.js';

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

  it('write while commands tag the same conversation, and each tag is stored', async () => {
    await withPlace(async (place) => {
      await withClient(place, async ({ call }) => {
        const save = (content: string) =>
          call('save_message', { conversationId: 'plan', role: 'user', content });
        await save('first');
        const tags = Array.from({ length: 8 }, (_, index) => `tag-${index}`);
        const added = tags.map((tag) =>
          runProcess(place, ['tag', 'plan', tag, '--root', place.root]),
        );
        const saved = [...numbers.keys()].map((n) => save(String(n)));
        const commands = await Promise.all(added);
        await Promise.all(saved);
        expect(commands.map(({ stderr }) => stderr)).toEqual(tags.map(() => ''));
        const { tags: stored } = await call('get_conversation', { conversationId: 'plan' });
        expect([stored].flat().sort()).toEqual(tags);
      });
    });
  });

  it('write while commands prune and repair, and each message is stored once in its conversation', async () => {
    await withPlace(async (place) => {
      const { root } = place;
      const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
      const folders = await withClient(place, async ({ call }) => {
        const ids: string[] = [];
        for (const key of keys) {
          const message = { conversationId: key, role: 'user', content: `${key} first` };
          ids.push(String((await call('save_message', message))['conversationId']));
        }
        return ids.map((id) => join(root, 'conversation-logs', id, 'conversation.json'));
      });
      for (const [index, path] of folders.entries()) {
        const text = readFileSync(path, 'utf8').replace(
          /"createdAt": "20\d\d-/g,
          '"createdAt": "2021-',
        );
        // Every third file is truncated, as after an interrupted copy.
        writeFileSync(path, index % 3 === 0 ? text.slice(0, -6) : text);
      }
      const answers = new Map<string, string[]>();
      // No server writes to the last conversation, so it stays old enough for the prune.
      const written = folders.slice(0, -1).map((path) => path.split('/').at(-2));
      const write = async ({ result }: Session, who: string) => {
        for (const n of Array(5).keys()) {
          for (const [index, conversationId] of written.entries()) {
            const content = `${keys[index]} ${who} ${n}`;
            const given = { conversationId, role: 'user', content };
            const { isError, structuredContent = {} } = await result('save_message', given);
            if (isError) continue; // moved to the trash, or not repaired yet
            const id = String((structuredContent as Record<string, unknown>)['conversationId']);
            answers.set(id, [...(answers.get(id) ?? []), content]);
          }
        }
      };
      const command = async (...args: string[]) => {
        const { code, stdout, stderr } = await runCommand(place, ['--root', root, ...args]);
        expect(code, stdout + stderr).toBeLessThan(2);
      };
      await withClient(place, (a) =>
        withClient(place, async (b) => {
          const care = async () => {
            // Otherwise a prune before the first write would move all of them on a busy machine.
            await expect.poll(() => answers.size).toBeGreaterThan(3);
            await command('doctor', '--repair', '--yes');
            await command('prune', '--older-than', '365d', '--yes');
          };
          await Promise.all([write(a, 'a'), write(b, 'b'), care()]);
        }),
      );
      const files = filesBelow(root).filter((path) =>
        /\d\/conversation\.json$|Z\/conversation\.json$/.test(path),
      );
      expect(files).toHaveLength(keys.length);
      expect(files.some((path) => path.includes('.trash'))).toBe(true);
      const repaired = filesBelow(root).filter((path) => path.includes('conversation.broken-'));
      expect(repaired).toHaveLength(4);
      expect([...answers.values()].flat().length).toBeGreaterThan(keys.length);
      const stored = files.map((path) => JSON.parse(readFileSync(path, 'utf8')));
      for (const { conversationId, messages } of stored) {
        const contents = messages.map(({ content }: { content: string }) => content);
        const key = String(contents[0]).split(' ')[0];
        const own = answers.get(conversationId) ?? [];
        expect(contents.slice(1).toSorted()).toEqual(own.toSorted());
        expect(contents[0]).toBe(`${key} first`);
      }
      expect(
        [...answers.keys()].every((id) => stored.some((each) => each.conversationId === id)),
      ).toBe(true);
    });
  });
});
