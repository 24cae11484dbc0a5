/**
 * A running server has no access to a file or to the store for a while, and then it has. The file itself is
 * not written again, so its stamp stays the same. A store without access is away, as a removed drive is.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it } from 'vitest';
import { MAIN, type Place, type Session, withPlace, withServerAt } from './harness.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** As long as two passes of the watcher on a machine that is busy. */
const PATIENT = { timeout: 60_000, interval: 200 };

/** Starts the server as a user who owns the files, because root may read every file. */
function withUser<T>(place: Place, work: (session: Session) => Promise<T>): Promise<T> {
  const { root, folder, env } = place;
  if (isRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
  const become = `process.setgid(${NOBODY}); process.setuid(${NOBODY});`;
  const first = isRoot ? ['--import', `data:text/javascript,${encodeURIComponent(become)}`] : [];
  const args = [...first, MAIN, '--root', root, '--toolsets', 'all'];
  return withServerAt(new StdioClientTransport({ command: process.execPath, args, env }), work);
}

function replaceUnreadable(path: string, text: string): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode: 0o000 });
  if (isRoot) chownSync(next, NOBODY, NOBODY);
  renameSync(next, path);
}

it.skipIf(process.platform === 'win32')(
  'a conversation is listed and found again when its file can be read again',
  async () => {
    await withPlace((place) =>
      withUser(place, async ({ call }) => {
        const content = 'before';
        const { conversationPath } = await call('save_message', { role: 'user', content });
        const totals = async () => {
          const { total: listed } = await call('get_conversations');
          const { total: found } = await call('search_messages', { query: 'afterwards' });
          return { listed, found };
        };
        const path = join(String(conversationPath), 'conversation.json');
        replaceUnreadable(path, '{"messages":[{"role":"user","content":"afterwards"}]}');
        await expect.poll(totals, PATIENT).toEqual({ listed: 0, found: 0 });
        chmodSync(path, 0o600);
        await expect.poll(totals, PATIENT).toEqual({ listed: 1, found: 1 });
      }),
    );
  },
);

it.skipIf(process.platform === 'win32')(
  'an insight is listed again when its file can be read again',
  async () => {
    await withPlace((place) =>
      withUser(place, async ({ call }) => {
        const context = 'global';
        await call('save_insight', { content: 'before', context });
        const listed = async () => (await call('list_insights', { context }))['results'];
        expect(await listed()).toHaveLength(1);
        const folder = join(place.root, 'memory-bank', 'insights');
        const path = join(folder, readdirSync(folder)[0] ?? '');
        replaceUnreadable(path, JSON.stringify({ content: 'afterwards', context }));
        await expect.poll(listed, PATIENT).toEqual([]);
        chmodSync(path, 0o600);
        await expect.poll(listed, PATIENT).toMatchObject([{ content: 'afterwards' }]);
      }),
    );
  },
);

it.skipIf(process.platform === 'win32').each([
  ['the root', '.'],
  ['the folder of the conversations', 'conversation-logs'],
])('without access to %s, a server reads from memory, and its writes wait', async (_, name) => {
  await withPlace((place) =>
    withUser(place, async ({ call }) => {
      const conversationId = 'plan';
      const save = (content: string, key: string) =>
        call('save_message', { conversationId: key, role: 'user', content });
      const contents = async () => {
        const { messages } = await call('get_conversation', { conversationId });
        return (messages as { content: string }[]).map(({ content }) => content);
      };
      await save('before', conversationId);
      await call('mb_add', { path: 'a.md', content: 'note' });
      await contents();
      const folder = join(place.root, name);
      chmodSync(folder, 0o000);
      try {
        expect(await contents()).toEqual(['before']);
        expect(await call('get_conversations')).toMatchObject({ total: 1, durable: false });
        expect(await call('mb_list')).toMatchObject({ total: 1, durable: false });
        expect(await save('during', conversationId)).toMatchObject({ durable: false });
        expect(await save('during', 'another')).toMatchObject({ durable: false });
        expect(await contents()).toEqual(['before', 'during']);
        expect(await call('store_info')).toMatchObject({ unavailable: { isAway: true } });
      } finally {
        chmodSync(folder, 0o700);
      }
      const state = async () => (await call('store_info'))['unavailable'];
      await expect.poll(state, PATIENT).toBeUndefined();
      expect(await contents()).toEqual(['before', 'during']);
      expect(await call('get_conversations')).toMatchObject({ total: 2 });
    }),
  );
});
