/**
 * What the tests of the conversation store share: a store in a real folder with a clock that only the test
 * moves, and the file of a conversation as a person sees it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Codec } from '../../../src/files/sealing/text-codec.js';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { tempFolder } from '../../support/temp-folder.js';

export const T0 = Date.parse('2025-01-24T13:20:00.123Z');
export const ID0 = `20250124-${T0}`;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface Options {
  logsFolder?: string;
  maxMessages?: number;
  codec?: Codec;
  fsync?: boolean;
}

export async function openStore({
  logsFolder = join(tempFolder(), 'logs'),
  ...options
}: Options = {}) {
  const time = { now: T0 };
  const clock = { now: () => time.now, monotonic: () => performance.now() };
  const store = await openConversationStore({
    logsFolder,
    maxMessages: 10_000,
    fsync: false,
    clock,
    ...options,
  });
  onTestFinished(() => store.close());
  const fileOf = (id: string) => join(logsFolder, id, 'conversation.json');
  return {
    store,
    time,
    logsFolder,
    fileOf,
    textOf: (id: string) => readFileSync(fileOf(id), 'utf8'),
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the file
    jsonOf: (id: string): any => JSON.parse(readFileSync(fileOf(id), 'utf8')),
    /** All entries without those of the store itself: its files, and names that begin with a dot. */
    folders: () =>
      readdirSync(logsFolder)
        .filter((name) => !name.startsWith('.') && !name.endsWith('.json'))
        .sort(),
    /** Writes a file as a person or another program would. */
    put: (id: string, content: string | Uint8Array | object) => {
      mkdirSync(join(logsFolder, id), { recursive: true });
      const isRaw = typeof content === 'string' || content instanceof Uint8Array;
      writeFileSync(fileOf(id), isRaw ? content : JSON.stringify(content));
    },
    /** A second server in the same folder. */
    another: () => openStore({ ...options, logsFolder }),
  };
}

export const user = (content: string) => ({ role: 'user', content }) as const;
export const assistant = (content: string) => ({ role: 'assistant', content }) as const;
