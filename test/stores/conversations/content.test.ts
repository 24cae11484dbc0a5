/**
 * Contents and bytes: every text is read back exactly, and the file is the same text as `JSON.stringify` of
 * the whole, in whatever steps it was written.
 */

import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json-fields.js';
import { CipherKey } from '../../../src/files/sealing/cipher.js';
import { codecOf, plainCodec } from '../../../src/files/sealing/text-codec.js';
import type { NewMessage } from '../../../src/stores/conversations/conversations.js';
import { ConversationDocument } from '../../../src/stores/conversations/document/document.js';
import { type Message, ROLES } from '../../../src/stores/conversations/document/schema.js';
import { tempFolder } from '../../support/temp-folder.js';
import { assistant, ID0, openStore, user } from './store.js';

/** Derived from values that do not depend on the position. Later versions must derive the same ids. */
const SEED_IDS = [
  '56ecb169-e6a8-8003-982c-9bab2d95bfde',
  'cb17ee88-1174-8ade-929d-acb688873b8d',
  '475152cd-603b-85ae-9986-e398bb3cf10e',
  '964cdd38-4073-8dd3-a051-cf28650cd90e',
];

const text = fc.string({ unit: 'binary', maxLength: 40 });
const metadata = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 4,
}) as fc.Arbitrary<JsonObject>;

describe('the file', () => {
  it('has exactly this text', async () => {
    const { store, textOf, time, jsonOf } = await openStore();
    await store.create({
      tags: ['b', 'a'],
      title: 'A "title"',
      metadata: { k: 1 },
      module: 'discuss',
      messages: [],
    });
    expect(textOf(ID0)).toBe(`{
  "conversationId": "${ID0}",
  "createdAt": "2025-01-24T13:20:00.123Z",
  "updatedAt": "2025-01-24T13:20:00.123Z",
  "messageCount": 0,
  "formatVersion": 1,
  "title": "A \\"title\\"",
  "module": "discuss",
  "tags": [
    "b",
    "a"
  ],
  "metadata": {
    "k": 1
  },
  "messages": []
}
`);
    time.now += 1000;
    await store.append(ID0, [
      user('Grüße,\nWelt\t語'),
      { ...assistant('ok'), metadata: { list: [], of: {} } },
    ]);
    const [first, second] = jsonOf(ID0).messages;
    expect(textOf(ID0).slice(textOf(ID0).indexOf('  "messages"'))).toBe(`  "messages": [
    {
      "id": "${first.id}",
      "role": "user",
      "content": "Grüße,\\nWelt\\t語",
      "createdAt": "2025-01-24T13:20:01.123Z"
    },
    {
      "id": "${second.id}",
      "role": "assistant",
      "content": "ok",
      "createdAt": "2025-01-24T13:20:01.123Z",
      "metadata": {
        "list": [],
        "of": {}
      }
    }
  ]
}
`);
  });

  it('writes the keys of a conversation in one order after any change', async () => {
    const { store, another, textOf, put, jsonOf } = await openStore();
    await store.append('key', [user('a')], { create: true });
    const { messages, clientId, ...rest } = jsonOf(ID0);
    put(ID0, {
      zeta: 1,
      messages,
      tags: ['t'],
      clientId,
      alpha: 2,
      title: 'T',
      ...rest,
      pinned: true,
    });
    await (await another()).store.append(ID0, [user('b')]);
    const keys = () => Object.keys(jsonOf(ID0));
    const expected = [
      'conversationId',
      'createdAt',
      'updatedAt',
      'messageCount',
      'formatVersion',
      'title',
      'titleFrom',
      'clientId',
      'pinned',
      'tags',
      'zeta',
      'alpha',
      'messages',
    ];
    expect(keys()).toEqual(expected);
    await store.append(ID0, [user('c')]);
    expect(keys()).toEqual(expected);
    expect(textOf(ID0)).toBe(`${JSON.stringify(jsonOf(ID0), null, 2)}\n`);
  });

  it('is what JSON.stringify returns for the whole, for any messages, heads and steps', () => {
    const message = fc.record(
      {
        id: fc.uuid(),
        role: fc.constantFrom(...ROLES),
        content: text,
        createdAt: fc.constant('t'),
        parentMessageId: fc.uuid(),
        metadata,
      },
      { requiredKeys: ['id', 'role', 'content', 'createdAt'] },
    ) as fc.Arbitrary<Message>;
    const title = fc.option(fc.oneof(text, fc.string({ minLength: 3000, maxLength: 6000 })), {
      nil: undefined,
    });
    const step = fc.record({ add: fc.array(message, { maxLength: 4 }), title });
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        metadata,
        fc.array(step, { maxLength: 5 }),
        (first, extra, steps) => {
          const fixed = [
            'title',
            'messages',
            'formatVersion',
            'conversationId',
            'createdAt',
            'updatedAt',
            'messageCount',
            'module',
            'clientId',
            'pinned',
            'tags',
            'metadata',
            'branchOf',
          ];
          const unknown = Object.fromEntries(
            Object.entries(extra).filter(([key]) => !fixed.includes(key)),
          );
          const base = {
            conversationId: ID0,
            createdAt: 'c',
            updatedAt: 'u',
            messageCount: first.length,
          };
          const document = new ConversationDocument(base, unknown, first, plainCodec);
          const all = [...first];
          for (const { add, title: next } of [{ add: [], title: undefined }, ...steps]) {
            for (const each of add) document.add(each);
            all.push(...add);
            const head = {
              ...base,
              messageCount: all.length,
              ...(next === undefined ? {} : { title: next }),
            };
            const whole = {
              ...base,
              messageCount: all.length,
              formatVersion: 1,
              title: next,
              ...unknown,
            };
            const ordered = { ...whole, messages: all };
            expect(Buffer.from(document.render(head)).toString()).toBe(
              `${JSON.stringify(ordered, null, 2)}\n`,
            );
            document.commit(head);
            expect(document.snapshot()).toEqual({ ...head, messages: all });
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('contents', () => {
  it.each([
    ['empty', ''],
    ['Japanese', '東京タワーは333メートルです。𠮷野家'],
    ['half surrogate pairs', 'a\ud800b\udc00'],
    [
      'control characters and ANSI',
      '\0\u0001\b\u001b[2J\u001b]0;x\u0007\u007f\u0085\u2028\u2029\ufeff',
    ],
    ['line breaks', '\r\n\n\r'],
    ['what looks like JSON', '"},{"role":"system","content":"'],
    [
      'all of the first plane',
      Array.from({ length: 0x10000 }, (_, n) => String.fromCharCode(n)).join(''),
    ],
    ['5 MB', 'abc語\n"\\'.repeat(600_000)],
  ])('are read back exactly: %s', async (_, content) => {
    const { store, another } = await openStore();
    await store.create({
      messages: [user(content)],
      title: content.slice(0, 500),
      metadata: { content: content.slice(0, 500) },
    });
    await store.append(ID0, [assistant(content)]);
    const found = await (await another()).store.load(ID0);
    expect(found.messages.every((message) => message.content === content)).toBe(true);
    expect(found.title).toBe(content.slice(0, 500));
    expect(found).toEqual(await store.load(ID0));
  });

  it('are the same for a new store after any sequence of appends', async () => {
    const message = fc.record(
      { role: fc.constantFrom(...ROLES), content: text, metadata },
      { requiredKeys: ['role', 'content'] },
    ) as fc.Arbitrary<NewMessage>;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(message, { maxLength: 4 }), { maxLength: 6 }),
        metadata,
        async (appends, head) => {
          const { store, another, textOf, jsonOf } = await openStore();
          await store.create({ metadata: head });
          await Promise.all(appends.map((messages) => store.append(ID0, messages)));
          const ours = await store.load(ID0);
          const fresh = (await another()).store;
          expect(await fresh.load(ID0)).toEqual(ours);
          expect((await fresh.list())[0]).toEqual({ ...ours, messages: undefined });
          expect(ours.messages.map(({ content }) => content)).toEqual(
            appends.flat().map(({ content }) => content),
          );
          expect(textOf(ID0)).toBe(`${JSON.stringify(jsonOf(ID0), null, 2)}\n`);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('pass through the codec, each bound to its message, and are never written without it', async () => {
    const codec = codecOf(new CipherKey(Buffer.alloc(32, 7)));
    const { store, another, textOf } = await openStore({ codec });
    await store.create({ messages: [user('secret one')] });
    const other = (await another()).store;
    await other.append(ID0, [user('secret two')]);
    await store.append(ID0, [user('secret three')]);
    expect(textOf(ID0)).not.toContain('secret');
    expect((await other.load(ID0)).messages.map(({ content }) => content)).toEqual([
      'secret one',
      'secret two',
      'secret three',
    ]);
  });

  it('can be appended to 10 000 messages, and the limit refuses one more', async () => {
    const { store, put, textOf } = await openStore();
    put(ID0, { messages: Array.from({ length: 9_998 }, (_, n) => user(`message ${n}`)) });
    expect((await store.append(ID0, [user('one')])).seq).toBe(9_999);
    expect((await store.append(ID0, [user('two')])).seq).toBe(10_000);
    const before = textOf(ID0);
    await expect(store.append(ID0, [user('three')])).rejects.toMatchObject({
      code: 'CONVERSATION_FULL',
      details: { maxMessages: 10_000 },
    });
    expect(textOf(ID0)).toBe(before);
    const { messages } = await store.load(ID0);
    expect([messages.length, messages[0]?.content, messages.at(-1)?.content]).toEqual([
      10_000,
      'message 0',
      'two',
    ]);
  });
});

describe('the released format, version 1', () => {
  const fixture = resolve(import.meta.dirname, '../../fixtures/v1/conversation-logs');
  const [SAVED, SEED, BY_HAND] = [
    '20260301-1772323200000',
    '20250124-1706102400123',
    '20260302-1772409600000',
  ] as const;
  const openFixture = async () => {
    const logsFolder = join(tempFolder(), 'logs');
    cpSync(fixture, logsFolder, { recursive: true });
    return openStore({ logsFolder });
  };

  it('is read with all values', async () => {
    const { store } = await openFixture();
    expect((await store.list()).map(({ conversationId }) => conversationId)).toEqual([
      BY_HAND,
      SAVED,
      SEED,
    ]);
    const saved = await store.load('my-project');
    expect(saved).toMatchObject({
      conversationId: SAVED,
      title: 'Planning 計画',
      module: 'discuss',
      pinned: true,
      tags: ['plan', 'q2'],
      metadata: { source: 'fixture', nested: { list: [1, 'two', null] } },
      branchOf: { conversationId: SEED, messageId: 'none' },
      messageCount: 3,
    });
    expect(saved.messages[2]).toMatchObject({
      parentMessageId: saved.messages[1]?.id,
      metadata: { model: 'm' },
    });
    expect(saved.messages[1]?.content).toBe('Half \ud800 pair, "quotes",\n\u001b[31mred\u001b[0m');
  });

  it('of seed 002, without ids, is read, continued, and always has the same ids', async () => {
    const { store, jsonOf } = await openFixture();
    const { messages } = await store.load(SEED);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages.map(({ id }) => id)).toEqual(SEED_IDS);
    await store.append(SEED, [assistant('more')]);
    expect(jsonOf(SEED)).toMatchObject({
      formatVersion: 1,
      messageCount: 5,
      createdAt: '2025-01-24T15:00:00.123Z',
    });
  });

  it('is written back unchanged except for additions', async () => {
    const { store, textOf, time } = await openFixture();
    const before = textOf(SAVED);
    expect(before).toBe(readFileSync(join(fixture, SAVED, 'conversation.json'), 'utf8'));
    time.now = Date.parse('2026-03-01T00:05:00.000Z');
    await store.append(SAVED, [user('added')]);
    const after = textOf(SAVED).replace('"messageCount": 4', '"messageCount": 3');
    expect(after.startsWith(before.slice(0, before.lastIndexOf('\n  ]')))).toBe(true);
  });
});
