/**
 * Two processes write to one root at the same time: each appends 200 messages to one conversation, each
 * creates 200 conversations, and both use the same new client key. Nothing is lost, stored twice or put in
 * another order.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { Child } from '../support/child.js';
import { rounds, timeLimitMs } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import type { Acknowledged, WriterCommand, WriterTask } from './children/writer.js';

const COUNT = 200;
const root = tempFolder();
const logs = join(root, 'conversation-logs');
const writers: Child[] = [];

beforeAll(async () => {
  const task: WriterTask = { logs, graphFolder: join(root, 'memory-bank') };
  writers.push(new Child('writer', task), new Child('writer', task));
  for (const writer of writers) await writer.next();
});

/** Sends a command to both processes. Returns what each of them acknowledged, in order. */
async function both(commandOf: (prefix: string) => WriterCommand): Promise<Acknowledged[][]> {
  for (const [index, writer] of writers.entries()) writer.send(commandOf(`writer${index}`));
  return Promise.all(
    writers.map(async (writer) => {
      const told: Acknowledged[] = [];
      for (;;) {
        const line = await writer.next<Acknowledged | { done: true }>();
        if ('done' in line) return told;
        told.push(line);
      }
    }),
  );
}

const openStore = () => openConversationStore({ logsFolder: logs, maxMessages: 1e6, fsync: true });
const inOrder = (prefix: string) =>
  Array.from({ length: COUNT }, (_, index) => `${prefix}-${index}`);

async function textsOf(ref: string): Promise<string[]> {
  const { messages, messageCount } = await (await openStore()).load(ref);
  expect(messageCount).toBe(messages.length);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  return messages.map(({ content }) => content);
}

describe('two processes on one root', () => {
  it(
    'append 200 messages each to one conversation, in the order of each process',
    async () => {
      for (let round = 0; round < rounds(1); round += 1) {
        const { conversationId: ref } = await (await openStore()).create({});
        const told = await both((prefix) => ({
          do: 'flood',
          ref,
          prefix,
          count: COUNT,
          create: false,
        }));
        expect(told.flat()).toHaveLength(2 * COUNT);
        const texts = await textsOf(ref);
        expect(texts).toHaveLength(2 * COUNT);
        for (const prefix of ['writer0', 'writer1']) {
          expect(texts.filter((text) => text.startsWith(prefix))).toEqual(inOrder(prefix));
        }
      }
    },
    timeLimitMs(300_000),
  );

  it(
    'create 200 conversations each, all in different folders',
    async () => {
      for (let round = 0; round < rounds(1); round += 1) {
        const told = (await both((prefix) => ({ do: 'create', prefix, count: COUNT }))).flat();
        expect(new Set(told.map(({ id }) => id)).size).toBe(2 * COUNT);
        const store = await openStore();
        for (const { id = '', text } of told) {
          expect(readdirSync(join(logs, id))).toEqual(['conversation.json']);
          expect((await store.load(id)).messages.map(({ content }) => content)).toEqual([text]);
        }
      }
    },
    timeLimitMs(300_000),
  );

  it(
    'create one conversation if they use the same new key',
    async () => {
      for (let round = 0; round < rounds(20); round += 1) {
        const ref = `key-${round}`;
        const told = (
          await both((prefix) => ({ do: 'flood', ref, prefix, count: 5, create: true }))
        ).flat();
        expect(new Set(told.map(({ id }) => id)).size).toBe(1);
        expect((await textsOf(ref)).sort()).toEqual(told.map(({ text }) => text).sort());
      }
      const heads = await (await openStore()).list();
      const keys = heads.flatMap(({ clientId }) => clientId ?? []);
      expect(new Set(keys).size).toBe(keys.length);
    },
    timeLimitMs(300_000),
  );

  it('leave no lock, temporary file or empty folder behind', async () => {
    await Promise.all(writers.map((writer) => writer.stop()));
    await (await openStore()).tidy();
    expect(readdirSync(join(logs, '.locks'))).toEqual([]);
    const entries = readdirSync(logs, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(2 * COUNT);
    for (const { parentPath, name } of files) {
      expect(join(parentPath, name)).toMatch(/conversation\.json$|\.gitignore$/);
    }
  });
});
