/** Prune and archive, killed in the middle, or in two processes at once: nothing is lost or stored twice. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { openMaintained } from './maintained.js';

const DIST = resolve(import.meta.dirname, '../../dist');
const SCRIPT = resolve(import.meta.dirname, '../support/retention-user.mjs');
const COUNT = 60;

function start(root: string, what: 'prune' | 'archive') {
  const child = spawn(process.execPath, [SCRIPT, DIST, root, what]);
  let errors = '';
  child.stderr.on('data', (bytes) => {
    errors += bytes;
  });
  const lines = createInterface(child.stdout);
  const exit = once(child, 'exit');
  const ready = once(lines, 'line');
  return { child, exit, ready, errors: () => errors };
}

/** Old conversations of two months, by id. */
async function oldConversations() {
  const place = await openMaintained();
  const texts = new Map<string, string>();
  for (let n = 0; n < COUNT; n += 1) {
    const id = `20200${1 + (n % 2)}01-${1_577_836_800_000 + (n % 2) * 2_678_400_000 + n}`;
    const folder = join(place.logsFolder, id);
    mkdirSync(folder, { recursive: true });
    const content = randomBytes(20_000).toString('base64');
    const text = `${JSON.stringify({ messages: [{ role: 'user', content }] })}\n`;
    writeFileSync(join(folder, 'conversation.json'), text);
    texts.set(id, text);
  }
  return { ...place, texts };
}

type Place = Awaited<ReturnType<typeof oldConversations>>;

const textOf = (folder: string, id: string) =>
  readFileSync(join(folder, id, 'conversation.json'), 'utf8');

async function idsOfStore({ conversations }: Place): Promise<string[]> {
  await conversations.refresh();
  return (await conversations.list()).map(({ conversationId }) => conversationId);
}

const idsOfTrash = async ({ conversations }: Place) =>
  (await conversations.trashed()).map(({ conversationId }) => conversationId);

async function killedAfter(root: string, what: 'prune' | 'archive', pauseMs: number) {
  const user = start(root, what);
  await user.ready;
  await new Promise((resume) => setTimeout(resume, pauseMs));
  user.child.kill('SIGKILL');
  await user.exit;
}

describe('a process that is killed in the middle', () => {
  it('of a prune leaves each conversation whole in one place, and the next prune moves the rest', async () => {
    const place = await oldConversations();
    for (const pauseMs of [1, 5, 10, 20]) {
      await killedAfter(place.root, 'prune', pauseMs);
      await place.conversations.tidy();
      const both = [...(await idsOfStore(place)), ...(await idsOfTrash(place))];
      expect(both.sort()).toEqual([...place.texts.keys()].sort());
    }
    const last = start(place.root, 'prune');
    await last.exit;
    expect(last.errors()).toBe('');
    expect(await idsOfStore(place)).toEqual([]);
    for (const [id, text] of place.texts) {
      await place.conversations.restore(id);
      expect(textOf(place.logsFolder, id)).toBe(text);
    }
  });

  it('of an archive run loses no conversation, and the next run archives the rest', async () => {
    const place = await oldConversations();
    const archived = () =>
      place.archives.unpacked(async (folder, problems) => {
        expect(problems).toEqual([]);
        const found = [...place.texts.keys()].filter((id) => {
          try {
            return textOf(folder, id) === place.texts.get(id);
          } catch {
            return false;
          }
        });
        return new Set(found);
      });
    for (const pauseMs of [5, 60, 120, 200]) {
      await killedAfter(place.root, 'archive', pauseMs);
      await place.conversations.tidy();
      const inArchives = await archived();
      const inStore = new Set(await idsOfStore(place));
      for (const id of place.texts.keys()) {
        expect(inStore.has(id) || inArchives.has(id), id).toBe(true);
      }
    }
    await archiveOnceFree(place.root);
    expect(await idsOfStore(place)).toEqual([]);
    expect((await archived()).size).toBe(COUNT);
  });
});

/** Archives when the lease of the killed process has ended, which can take some seconds. */
async function archiveOnceFree(root: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const user = start(root, 'archive');
    await user.exit;
    if (user.errors() === '') return;
    expect(user.errors()).toContain('Another process is archiving');
    expect(tries).toBeLessThan(60);
    await new Promise((resume) => setTimeout(resume, 1000));
  }
}

describe('two processes at once', () => {
  it('prune each conversation once', async () => {
    const place = await oldConversations();
    const users = [start(place.root, 'prune'), start(place.root, 'prune')];
    for (const user of users) {
      await user.exit;
      expect(user.errors()).toBe('');
    }
    expect((await idsOfTrash(place)).sort()).toEqual([...place.texts.keys()].sort());
  });

  it('archive one after the other, or one of them fails with LOCKED', async () => {
    const place = await oldConversations();
    const users = [start(place.root, 'archive'), start(place.root, 'archive')];
    for (const user of users) await user.exit;
    const refused = users.filter((user) => user.errors() !== '');
    expect(refused.every((user) => user.errors().includes('LOCKED'))).toBe(true);
    expect(refused.length).toBeLessThan(2);
    expect(await idsOfStore(place)).toEqual([]);
    await place.archives.unpacked(async (folder) => {
      for (const [id, text] of place.texts) expect(textOf(folder, id)).toBe(text);
    });
  });
});
