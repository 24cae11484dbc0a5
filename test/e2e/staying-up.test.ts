/**
 * Built servers over stdio whose store is missing, read-only or full. They still read from memory, and new
 * messages wait with `durable: false`; nothing is written to another place. When the store is available again,
 * each message is written once, in order. Tests with mounts are skipped if this machine does not allow them.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startStandIn } from '../support/perplexity-stand-in.js';
import {
  BareServer,
  type Place,
  runCommand,
  type Session,
  withClient,
  withPlace,
} from './harness.js';
import { withHttp } from './http-harness.js';

type Call = Session['call'];
type Fields = Record<string, unknown>;

const say = (call: Call, conversationId: string, content: string) =>
  call('save_message', { conversationId, role: 'user', content });

/** Calls `store_info` until its answer has no `durable: false`. */
async function untilDurable(call: Call): Promise<Fields> {
  for (;;) {
    const info = await call('store_info');
    if (info['durable'] === undefined) return info;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The messages in the file, read without a server. */
function contentsOf(root: string, conversationId: string): string[] {
  const path = join(root, 'conversation-logs', conversationId, 'conversation.json');
  const { messages } = JSON.parse(readFileSync(path, 'utf8')) as { messages: Fields[] };
  return messages.map(({ content }) => String(content));
}

const conversationsIn = (root: string) =>
  readdirSync(join(root, 'conversation-logs')).filter((name) => !name.startsWith('.'));

const texts = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`);

describe('a server whose root is moved away and back', () => {
  it('reads and writes messages in memory, then writes each once, in order', async () => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      await withClient(place, async ({ call, failure }) => {
        const { conversationId } = (await say(call, 'plan', 'before 0')) as {
          conversationId: string;
        };
        await call('mb_add', { path: 'a.md', content: '# A' });
        await call('search_messages', { query: 'before' });
        renameSync(root, join(folder, 'gone'));

        const during = texts(3, 'during');
        for (const [index, text] of during.entries()) {
          const saved = await say(call, index === 1 ? conversationId : 'plan', text);
          expect(saved).toMatchObject({ conversationId, seq: index + 2, durable: false });
        }
        const fresh = await say(call, 'new-key', 'fresh during');
        expect(fresh).toMatchObject({ created: true, durable: false });
        const thread = await call('history_threads_create', { module: 'plan', title: 'T' });
        expect(thread['durable']).toBe(false);

        const found = await call('search_messages', { query: 'during' });
        expect(found).toMatchObject({ total: 4, durable: false });
        expect(await call('search_messages', { query: 'before' })).toMatchObject({ total: 1 });
        const read = await call('get_conversation', { conversationId: 'plan' });
        const shown = read['messages'] as Fields[];
        expect(shown.map((each) => [each['content'], each['durable']])).toEqual([
          ['before 0', undefined],
          ...during.map((text) => [text, false]),
        ]);
        expect(await call('get_conversations')).toMatchObject({ total: 3, durable: false });
        const info = await call('store_info');
        expect(info['unavailable']).toMatchObject({ isAway: true, waiting: 5 });
        for (const [name, args] of [
          ['mb_edit', { path: 'a.md', newPath: 'b.md' }],
          ['mb_delete', { path: 'a.md', permanent: true }],
          ['delete_insight', { id: '6fa459ea-ee8a-4ca4-894e-db77e160355e', permanent: true }],
          ['kg_save', {}],
          ['delete_conversation', { conversationId }],
        ] as const) {
          expect((await failure(name, args)).code).toBe('STORAGE_UNAVAILABLE');
        }
        await new Promise((resolve) => setTimeout(resolve, 1500)); // the watcher looks meanwhile
        expect(await call('get_conversations')).toMatchObject({ total: 3 });
        expect(existsSync(root)).toBe(false);

        renameSync(join(folder, 'gone'), root);
        await untilDurable(call);
        expect(contentsOf(root, conversationId)).toEqual(['before 0', ...during]);
        expect(contentsOf(root, String(fresh['conversationId']))).toEqual(['fresh during']);
        expect(contentsOf(root, String(thread['id']))).toEqual([]);
        expect(conversationsIn(root)).toHaveLength(3);
        const after = await say(call, 'plan', 'after');
        expect(after).toMatchObject({ seq: 5 });
        expect(after).not.toHaveProperty('durable');
        expect(await call('search_messages', { query: 'during' })).toMatchObject({ total: 4 });
        expect(await call('mb_list')).toMatchObject({ total: 1 });
      });
    });
  });

  it('keeps notes, insights and facts in memory, where they can be read, then writes each once', async () => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      const fact = { subject: 'larch', predicate: 'is', object: 'a tree' };
      await withClient(place, async ({ call }) => {
        await say(call, 'plan', 'before');
        await call('mb_add', { path: 'a.md', content: '# A' });
        await call('kg_query', {});
        renameSync(root, join(folder, 'gone'));
        const line = { path: 'a.md', insertLine: 1, insertText: 'a larch' };
        const answers = [
          await call('mb_edit', line),
          await call('mb_add', { path: 'b.md', content: 'b larch' }),
          await call('save_insight', { content: 'c larch', context: 'global' }),
          await call('kg_add', fact),
        ];
        expect(answers.map(({ durable }) => durable)).toEqual([false, false, false, false]);
        const reads = async () => [
          await call('mb_read', { path: 'a.md' }),
          await call('mb_search', { query: 'larch' }),
          await call('search_insights', { query: 'larch', context: 'global' }),
          await call('kg_query', { subject: 'larch' }),
        ];
        const seen = [{ content: '# A\na larch' }, { total: 2 }, { total: 1 }, { total: 1 }];
        expect(await reads()).toMatchObject(seen);
        expect((await call('store_info'))['unavailable']).toMatchObject({ waiting: 4 });
        expect(existsSync(root)).toBe(false);
        renameSync(join(folder, 'gone'), root);
        await untilDurable(call);
        expect(await reads()).toMatchObject(seen);
        const bank = join(root, 'memory-bank');
        expect(readFileSync(join(bank, 'a.md'), 'utf8')).toBe('# A\na larch\n');
        expect(readFileSync(join(bank, 'b.md'), 'utf8')).toBe('b larch\n');
        expect(readdirSync(join(bank, 'insights'))).toEqual([`${answers[2]?.['id']}.json`]);
        expect(readFileSync(join(bank, 'kg_wal.log'), 'utf8').match(/larch/g)).toHaveLength(1);
      });
    });
  });

  it('keeps changes and deletions in memory, then makes each once, in order', async () => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      const fact = { subject: 'larch', predicate: 'is', object: 'a bush' };
      const bank = join(root, 'memory-bank');
      await withClient(place, async ({ call }) => {
        const { conversationId } = await say(call, 'plan', 'before');
        for (const path of ['a.md', 'b.md']) await call('mb_add', { path, content: '# A' });
        const save = async (content: string) =>
          (await call('save_insight', { content, context: 'global' }))['id'];
        const [changed, deleted] = [await save('old larch'), await save('larch to delete')];
        await call('kg_add', fact);
        await call('set_state', { values: { before: 1 } });
        renameSync(root, join(folder, 'gone'));
        const answers = [
          await call('set_state', { activeConversation: 'plan', values: { during: 2 } }),
          await call('update_insight', { id: changed, content: 'new larch' }),
          await call('delete_insight', { id: deleted }),
          await call('update_conversation', { conversationId: 'plan', title: 'T', tags: ['t'] }),
          await say(call, 'plan', 'during'),
          await call('mb_delete', { path: 'a.md' }),
          await call('kg_delete', fact),
        ];
        expect(answers.map(({ durable }) => durable)).toEqual(answers.map(() => false));
        const reads = async () => [
          await call('get_state'),
          await call('search_insights', { query: 'larch', context: 'global' }),
          await call('get_conversations'),
          await call('mb_list'),
          await call('kg_query', { subject: 'larch' }),
        ];
        const seen = [
          {
            activeConversation: 'plan',
            activeConversationFound: true,
            values: { before: 1, during: 2 },
          },
          { total: 1, results: [{ id: changed, content: 'new larch' }] },
          { conversations: [{ conversationId, title: 'T', tags: ['t'], messageCount: 2 }] },
          { total: 1 },
          { total: 0 },
        ];
        expect(await reads()).toMatchObject(seen);
        expect((await call('store_info'))['unavailable']).toMatchObject({ waiting: 7 });
        expect(existsSync(root)).toBe(false);
        renameSync(join(folder, 'gone'), root);
        await untilDurable(call);
        expect(await reads()).toMatchObject(seen);
        expect(contentsOf(root, String(conversationId))).toEqual(['before', 'during']);
        expect(readdirSync(join(bank, 'insights'))).toEqual([`${changed}.json`]);
        expect(readdirSync(join(bank, '.trash', 'insights'))).toHaveLength(1);
        expect(readdirSync(bank)).toContain('b.md');
        expect(readdirSync(bank)).not.toContain('a.md');
        expect(readFileSync(join(bank, 'kg_wal.log'), 'utf8').match(/"delete"/g)).toHaveLength(1);
        const state = readFileSync(join(root, 'conversation-logs', 'state.json'), 'utf8');
        expect(JSON.parse(state)).toMatchObject({ values: { before: 1, during: 2 } });
      });
    });
  });

  it('keeps an answer of Perplexity and its follow-up, because they were paid for', async () => {
    const api = await startStandIn({});
    await withPlace(async (place) => {
      const env = {
        ...place.env,
        ...api.env,
      };
      await withClient({ ...place, env }, async ({ call }) => {
        await say(call, 'plan', 'before');
        renameSync(place.root, join(place.folder, 'gone'));
        const first = await call('perplexity_search', { query: 'what is larch' });
        expect(first['durable']).toBe(false);
        const conversationId = String(first['conversationId']);
        const next = await call('perplexity_search_followup', {
          conversationId,
          query: 'and oak?',
        });
        expect(next['durable']).toBe(false);
        renameSync(join(place.folder, 'gone'), place.root);
        await untilDurable(call);
        const [instructions, ...kept] = contentsOf(place.root, conversationId);
        expect(instructions).not.toContain('larch');
        const answers = ['Answer 1 to: what is larch [1]', 'Answer 2 to: and oak? [1]'];
        expect(kept).toEqual(['what is larch', answers[0], 'and oak?', answers[1]]);
      });
    });
  });

  it('does not write to another store that has its path now', async () => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      const other = { ...place, root: join(folder, 'other') };
      await withClient(other, ({ call }) => say(call, 'plan', 'of the other'));
      await withClient(place, async ({ call }) => {
        const { conversationId } = (await say(call, 'plan', 'mine')) as { conversationId: string };
        renameSync(root, join(folder, 'gone'));
        renameSync(other.root, root);
        expect(await say(call, 'plan', 'waits')).toMatchObject({ conversationId, durable: false });
        await call('mb_add', { path: 'a.md', content: 'mine' });
        await new Promise((resolve) => setTimeout(resolve, 1500));
        expect(await call('get_conversations')).toMatchObject({ total: 1, durable: false });
        expect(conversationsIn(root)).toHaveLength(1);
        expect(contentsOf(root, conversationsIn(root)[0] ?? '')).toEqual(['of the other']);
        expect(existsSync(join(root, 'memory-bank', 'a.md'))).toBe(false);
        renameSync(root, other.root);
        mkdirSync(join(root, 'conversation-logs'), { recursive: true });
        expect(await say(call, 'plan', 'waits too')).toMatchObject({ durable: false });
        expect(readdirSync(join(root, 'conversation-logs'))).toEqual([]);
        rmSync(root, { recursive: true });
        renameSync(join(folder, 'gone'), root);
        await untilDurable(call);
        expect(contentsOf(root, conversationId)).toEqual(['mine', 'waits', 'waits too']);
        expect(readFileSync(join(root, 'memory-bank', 'a.md'), 'utf8')).toBe('mine\n');
      });
    });
  });

  it('writes its messages in its order, and so does another server of the same root', async () => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      await withClient(place, ({ call: first }) =>
        withClient(place, async ({ call: second }) => {
          const saved = (await say(first, 'plan', 'before')) as { conversationId: string };
          await second('get_conversation', { conversationId: 'plan' });
          renameSync(root, join(folder, 'gone'));
          for (const index of [0, 1, 2]) {
            await say(first, 'plan', `first ${index}`);
            await say(second, 'plan', `second ${index}`);
            await say(first, 'both-new', `first ${index}`);
            await say(second, 'both-new', `second ${index}`);
          }
          renameSync(join(folder, 'gone'), root);
          await untilDurable(first);
          await untilDurable(second);
          expect(conversationsIn(root)).toHaveLength(2);
          for (const id of conversationsIn(root)) {
            const all = contentsOf(root, id);
            expect(all).toHaveLength(id === saved.conversationId ? 7 : 6);
            for (const name of ['first', 'second']) {
              const own = all.filter((text) => text.startsWith(name));
              expect(own).toEqual(texts(3, name));
            }
          }
        }),
      );
    });
  });
});

describe('an encrypted root that was away', () => {
  it('is used again if it is a copy with the same key, and is refused with another key', async () => {
    await withPlace(async (given) => {
      const { root, folder } = given;
      const [key, other] = ['key', 'other-key'].map((name) => {
        const file = join(folder, name);
        writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
        return file;
      }) as [string, string];
      const place = { ...given, env: { ...given.env, DAYBOOK_KEY_FILE: key } };
      const encrypt = async (at: string, file: string) => {
        const args = ['--root', at, 'encrypt', '--key-file', file, '--yes'];
        expect((await runCommand(place, args)).code).toBe(0);
      };
      await withClient(given, ({ call }) => say(call, 'plan', 'before'));
      await encrypt(root, key);
      await withClient(place, async ({ call }) => {
        const contents = async () =>
          (
            (await call('get_conversation', { conversationId: 'plan' }))['messages'] as Fields[]
          ).map(({ content }) => content);
        expect(await contents()).toEqual(['before']);
        const [gone, strange] = [join(folder, 'gone'), join(folder, 'strange')];
        renameSync(root, gone);
        cpSync(gone, strange, { recursive: true });
        await encrypt(strange, other);
        expect(await say(call, 'plan', 'waits')).toMatchObject({ seq: 2, durable: false });
        renameSync(strange, root);
        await call('mb_add', { path: 'a.md', content: 'a note' });
        const { unavailable } = await call('store_info');
        expect(unavailable).toMatchObject({ isAway: true, waiting: 2 });
        expect((unavailable as Fields)['reason']).toMatch(
          /has the key \w+ now, but this process started with/,
        );
        expect(await contents()).toEqual(['before', 'waits']);
        expect(existsSync(join(root, 'memory-bank', 'a.md'))).toBe(false);
        renameSync(root, strange);
        cpSync(gone, root, { recursive: true });
        await untilDurable(call);
        expect(await contents()).toEqual(['before', 'waits']);
        const note = readFileSync(join(root, 'memory-bank', 'a.md'), 'latin1');
        expect(note).not.toContain('a note');
        expect(await call('mb_read', { path: 'a.md' })).toMatchObject({ content: 'a note' });
      });
    });
  });
});

describe('the end of a server with waiting writes', () => {
  async function answerOf(server: BareServer, name: string, args: Fields): Promise<Fields> {
    const id = server.send('tools/call', { name, arguments: args });
    return (await server.answer(id)).result?.['structuredContent'] as Fields;
  }

  const saved = (server: BareServer, content: string) =>
    answerOf(server, 'save_message', { conversationId: 'k', role: 'user', content });

  async function open(place: Place): Promise<BareServer> {
    const server = new BareServer(place);
    const clientInfo = { name: 'x', version: '1' };
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    await server.answer(server.send('initialize', hello));
    server.send('notifications/initialized', {}, false);
    return server;
  }

  it.each([
    'SIGKILL',
    'SIGTERM',
  ] as const)('%s loses only what was told not durable', async (signal) => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      const server = await open(place);
      const first = await saved(server, 'safe');
      expect(first).not.toHaveProperty('durable');
      renameSync(root, join(folder, 'gone'));
      const kept = await saved(server, 'told not durable');
      expect(kept['durable']).toBe(false);
      await answerOf(server, 'mb_add', { path: 'lost.md', content: 'told not durable' });
      server.process.kill(signal);
      const status = await new Promise((resolve) => server.process.once('exit', resolve));
      if (signal === 'SIGTERM') {
        expect(status).toBe(1);
        expect(server.stderr).toContain(String(kept['messageId']));
        expect(server.stderr).toContain('note lost.md');
        expect(server.stderr).not.toContain('told not durable');
      }
      expect(existsSync(root)).toBe(false);
      renameSync(join(folder, 'gone'), root);
      expect(contentsOf(root, String(first['conversationId']))).toEqual(['safe']);
    });
  });

  it('by SIGTERM writes them if the store is available again', async () => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      const server = await open(place);
      const first = await saved(server, 'safe');
      renameSync(root, join(folder, 'gone'));
      for (const text of texts(3, 'waits')) await saved(server, text);
      renameSync(join(folder, 'gone'), root);
      server.process.kill('SIGTERM');
      expect(await new Promise((resolve) => server.process.once('exit', resolve))).toBe(0);
      const all = contentsOf(root, String(first['conversationId']));
      expect(all).toEqual(['safe', ...texts(3, 'waits')]);
    });
  });
});

describe('a server that starts without a root', () => {
  it('answers and makes no folder, and works as soon as the root exists', async () => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      const missing = { ...place, root: join(folder, 'not', 'mounted') };
      await withClient(place, ({ call }) => say(call, 'plan', 'before'));
      await withClient(missing, async ({ call, failure, client }) => {
        expect((await client.listTools()).tools.length).toBeGreaterThan(10);
        for (const name of ['store_info', 'get_conversations']) {
          const error = await failure(name);
          expect(error).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
          expect(error.message).toContain(missing.root);
        }
        expect(existsSync(join(folder, 'not'))).toBe(false);
        mkdirSync(join(folder, 'not'));
        renameSync(root, missing.root);
        expect(await call('get_conversations')).toMatchObject({ total: 1 });
        expect(await say(call, 'plan', 'after')).toMatchObject({ seq: 2 });
      });
    });
  });

  it('shows the page over HTTP, which works as soon as the root exists', async () => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      const missing = { ...place, root: join(folder, 'not', 'mounted') };
      await withClient(place, ({ call }) => say(call, 'plan', 'before'));
      await withHttp(missing, async ({ url }) => {
        const headers = { 'Content-Type': 'application/json' };
        const list = async () => {
          const options = { method: 'POST', headers, body: '{}' };
          const answer = await fetch(new URL('/api/tools/get_conversations', url), options);
          return (await answer.json()) as Fields;
        };
        const statusOf = async (path: string) => {
          const answer = await fetch(new URL(path, url));
          await answer.body?.cancel();
          return answer.status;
        };
        expect(await statusOf('/')).toBe(200);
        expect(await list()).toMatchObject({ error: { code: 'STORAGE_UNAVAILABLE' } });
        expect(await statusOf('/api/events')).toBe(503);
        expect(existsSync(join(folder, 'not'))).toBe(false);
        mkdirSync(join(folder, 'not'));
        renameSync(root, missing.root);
        expect(await statusOf('/api/events')).toBe(200);
        expect(await list()).toMatchObject({ total: 1 });
      });
    });
  });

  it('makes no new store at a path that had a store', async () => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      await withClient(place, async ({ call }) => {
        await say(call, 'plan', 'before');
        await call('search_messages', { query: 'before' });
      });
      renameSync(root, join(folder, 'gone'));
      mkdirSync(root); // an empty mount point
      await withClient(place, async ({ call, failure }) => {
        expect(await failure('store_info')).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
        expect(readdirSync(root)).toEqual([]);
        rmSync(root, { recursive: true });
        renameSync(join(folder, 'gone'), root);
        expect(await say(call, 'plan', 'after')).toMatchObject({ seq: 2 });
      });
    });
  });
});

/** Returns false if this machine does not let the test mount. */
function mounts(...args: readonly string[]): boolean {
  try {
    execFileSync('/bin/mount', [...args], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const NO_MOUNT = 'this machine does not let the test mount';
const unmount = (path: string) => execFileSync('/bin/umount', ['-l', path], { stdio: 'ignore' });

describe('a root that is a mount', () => {
  it('is not replaced by the empty folder that is left when the mount ends', async (context) => {
    await withPlace(async (place) => {
      const { root, folder } = place;
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      mkdirSync(root);
      if (!mounts('--bind', disk, root)) return context.skip(NO_MOUNT);
      try {
        await withClient(place, async ({ call }) => {
          const saved = (await say(call, 'plan', 'before')) as { conversationId: string };
          unmount(root);
          expect(await say(call, 'plan', 'waits')).toMatchObject({ seq: 2, durable: false });
          await new Promise((resolve) => setTimeout(resolve, 1500));
          expect(await call('get_conversations')).toMatchObject({ total: 1 });
          expect(readdirSync(root)).toEqual([]);
          mounts('--bind', disk, root);
          await untilDurable(call);
          expect(contentsOf(root, saved.conversationId)).toEqual(['before', 'waits']);
        });
      } finally {
        unmount(root);
      }
    });
  });

  it('loses no write while it is read-only and while it is full', async (context) => {
    await withPlace(async (place) => {
      const { root } = place;
      mkdirSync(root);
      if (!mounts('-t', 'tmpfs', '-o', 'size=1m', 'daybook-test', root)) context.skip(NO_MOUNT);
      try {
        await withClient(place, async ({ call }) => {
          const { conversationId } = (await say(call, 'plan', 'before')) as {
            conversationId: string;
          };
          mounts('-o', 'remount,ro', root);
          expect(await say(call, 'plan', 'read-only')).toMatchObject({ seq: 2, durable: false });
          expect(await say(call, 'new', 'read-only')).toMatchObject({ seq: 1, durable: false });
          expect(await call('search_messages', { query: 'only' })).toMatchObject({ total: 2 });
          await call('mb_add', { path: 'a.md', content: 'read-only' });
          await call('mb_edit', { path: 'a.md', oldText: 'only', newText: 'only, edited' });
          await call('kg_add', { subject: 'a', predicate: 'is', object: 'read-only' });
          await call('save_insight', { content: 'read-only', context: 'global' });
          expect(await call('kg_query', {})).toMatchObject({ total: 1, durable: false });
          mounts('-o', 'remount,rw', root);
          await untilDurable(call);
          const bank = join(root, 'memory-bank');
          expect(readFileSync(join(bank, 'a.md'), 'utf8')).toBe('read-only, edited\n');
          expect(readFileSync(join(bank, 'kg_wal.log'), 'utf8')).toContain('read-only');
          expect(readdirSync(join(bank, 'insights'))).toHaveLength(1);
          try {
            for (;;) writeFileSync(join(root, 'filler'), Buffer.alloc(4096), { flag: 'a' });
          } catch (error) {
            expect(error).toMatchObject({ code: 'ENOSPC' });
          }
          const long = 'x'.repeat(9000);
          expect(await say(call, 'plan', long)).toMatchObject({ seq: 3, durable: false });
          expect(await say(call, 'plan', 'full')).toMatchObject({ seq: 4, durable: false });
          rmSync(join(root, 'filler'));
          await untilDurable(call);
          const all = ['before', 'read-only', long, 'full'];
          expect(contentsOf(root, conversationId)).toEqual(all);
          expect(conversationsIn(root)).toHaveLength(2);
        });
      } finally {
        unmount(root);
      }
    });
  });
});
