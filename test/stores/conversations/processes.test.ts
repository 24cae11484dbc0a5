/** Other processes in the same folder: they lose no data of ours, and if they die, they leave no half state. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import type { Conversation } from '../../../src/stores/conversations/document/schema.js';
import { tempFolder } from '../../support/temp-folder.js';
import { user } from './store.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const CHILD = join(ROOT, 'test/support/conversation-user.mjs');

interface Child {
  process: ChildProcessWithoutNullStreams;
  lines: string[];
  ended: Promise<unknown>;
  until(isIt: (line: string) => boolean): Promise<string>;
}

function start(logsFolder: string, ...args: string[]): Child {
  const child = spawn(process.execPath, [CHILD, join(ROOT, 'dist'), logsFolder, ...args]);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => lines.push(line));
  child.stderr.on('data', (text) => lines.push(`stderr ${text}`));
  return {
    process: child,
    lines,
    ended: once(child, 'close'),
    async until(isIt) {
      for (;;) {
        const found = lines.find(isIt);
        if (found !== undefined) return found;
        if (child.exitCode !== null) throw new Error(`it ended: ${lines.join('\n')}`);
        await Promise.race([once(reader, 'line'), once(child, 'exit')]);
      }
    },
  };
}

const open = (logsFolder: string) =>
  openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
const contents = ({ messages }: Conversation) => messages.map(({ content }) => content);

describe('deleting a conversation to which another process writes', () => {
  it('moves every saved message to the trash, and later writes are refused', async () => {
    for (let round = 0; round < 4; round += 1) {
      const logsFolder = join(tempFolder(), 'logs');
      const store = await open(logsFolder);
      const { conversationId: id } = await store.create({ messages: [user('first')] });
      const child = start(logsFolder, 'append', id);
      await child.until((line) => line === 'saved other 3');
      await store.trash(id);
      const refused = await child.until((line) => line.startsWith('refused'));
      expect(refused).toBe('refused CONVERSATION_NOT_FOUND');
      await child.ended;
      await store.restore(id);
      const saved = child.lines.filter((line) => line.startsWith('saved'));
      expect(contents(await store.load(id))).toEqual([
        'first',
        ...saved.map((line) => line.slice('saved '.length)),
      ]);
    }
  });
});

describe('a process that is killed while it branches, merges, deletes and restores', () => {
  it('leaves only whole conversations, loses no message, and no merge is half done', async () => {
    const logsFolder = join(tempFolder(), 'logs');
    let isRecovered = 0;
    for (let round = 0; round < 12; round += 1) {
      const child = start(logsFolder, 'churn');
      await child.until((line) => line === 'made 0');
      await new Promise((wake) => setTimeout(wake, round * 7));
      child.process.kill('SIGKILL');
      await child.ended;
      expect(child.lines.filter((line) => line.startsWith('stderr'))).toEqual([]);
      const store = await open(logsFolder);
      await store.tidy();
      isRecovered += await checkAll(store);
      for (const { conversationId } of await store.list()) await store.remove(conversationId);
      for (const { name } of await store.trashed()) await store.purge(name);
    }
    expect(isRecovered).toBeGreaterThan(0);
  });
});

/**
 * Every conversation is complete and of one of the four kinds. A pair is either merged and in the trash, or
 * not.
 */
async function checkAll(store: Awaited<ReturnType<typeof open>>): Promise<number> {
  const heads = await store.list();
  expect(store.damaged()).toEqual([]);
  const trashed = new Set((await store.trashed()).map(({ title }) => title));
  const live = new Set(heads.map(({ title }) => title));
  for (const { conversationId, title = '' } of heads) {
    const n = title.slice(1);
    const of = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${name}${n}.${at}`);
    const found = contents(await store.load(conversationId)).sort();
    const expected = {
      a: of('a', 3),
      b: of('b', 3),
      c: of('a', 2),
      m: [...of('a', 3), ...of('b', 3)],
    };
    expect(found).toEqual(expected[title[0] as 'a']);
    if (title.startsWith('m')) {
      expect([live.has(`a${n}`), live.has(`b${n}`)]).toEqual([false, false]);
      expect([trashed.has(`a${n}`), trashed.has(`b${n}`)]).toEqual([true, true]);
    }
    if (title.startsWith('a')) expect(live.has(`m${n}`)).toBe(false);
  }
  for (const title of trashed) {
    const isMerged = title?.startsWith('a') || title?.startsWith('b');
    if (isMerged) expect(live.has(`m${title?.slice(1)}`)).toBe(true);
  }
  return heads.length;
}
