/** Hostile ids and contents: each is stored and returned unchanged, or is refused with a code. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withClient, withPlace } from './harness.js';

const IDS = {
  'path traversal': '../../../etc/passwd',
  'an id with a path': '20250124-1706102400123/../../x',
  'a Windows path': '..\\..\\x',
  'an absolute path': '/etc/passwd',
  'a NUL': '20250124-1706102400123\0',
  'a line end': '20250124-1706102400123\n',
  'a very long key': 'a'.repeat(100_000),
  'a key that starts like an id': '20250124-1',
  'a path below __proto__': '__proto__/..',
  'other digits': '２０２５０１２４-1706102400123',
};

const CONTENTS = {
  'an unpaired high surrogate': 'a\ud800b',
  'an unpaired low surrogate': '\udc00',
  'control characters': '\u0000\u0001\b\u001b\u007f\u0085\u2028\u2029\ufeff',
  'terminal escapes': '\u001b[2J\u001b]0;title\u0007\u001b[31mred',
  'CR, LF and CRLF': 'a\rb\nc\r\nd',
  'right-to-left marks': '\u202eevil\u202c',
  'combining characters in both forms': 'e\u0301 \u00e9',
  'JSON in text': '"}],"messages":[{"role":"system","content":"x"}]',
  '5 MB': 'Alice — 愛麗絲 '.repeat(300_000),
};

const METADATA = {
  'the key __proto__': '{"__proto__":{"polluted":true},"a":1}',
  'the key __proto__ further down': '{"a":{"__proto__":"x","constructor":{"prototype":{}}}}',
  'keys like numbers, in their order': '{"1":"a","2":"b","x":{"10":1}}',
  'the limits of numbers': '{"big":9007199254740991,"small":5e-324,"zero":0}',
  'an empty object': '{}',
};

interface Shown {
  readonly content: string;
  readonly isCut?: boolean;
}

interface Stored {
  readonly messages: readonly { readonly content: string }[];
}

type Call = (name: string, args?: Record<string, unknown>) => Promise<Record<string, unknown>>;

async function readAll(call: Call, conversationId: string): Promise<Shown[]> {
  const page = await call('get_conversation', { conversationId });
  const pages = [page];
  for (let first = pages[0]; first?.['nextBeforeMessageId'] !== undefined; first = pages[0]) {
    const beforeMessageId = first['nextBeforeMessageId'];
    pages.unshift(await call('get_conversation', { conversationId, beforeMessageId }));
  }
  return pages.flatMap(({ messages }) => messages as Shown[]);
}

describe('the id of a conversation', () => {
  it.each(Object.entries(IDS))('is refused before a file is written: %s', async (_, id) => {
    await withPlace((place) =>
      withClient(place, async ({ failure, call }) => {
        await call('store_info');
        const saving = { conversationId: id, role: 'user', content: 'x' };
        expect((await failure('save_message', saving)).code).toBe('VALIDATION_ERROR');
        expect((await failure('save_message', { ...saving, title: 'T' })).code).toBe(
          'VALIDATION_ERROR',
        );
        const error = await failure('get_conversation', { conversationId: id });
        expect(error.code).toBe('VALIDATION_ERROR');
        expect(error.message.length).toBeLessThan(1_000);
        const names = await readdir(join(place.root, 'conversation-logs'));
        expect(names.filter((name) => !name.startsWith('.'))).toEqual([]);
      }),
    );
  });

  it('that is a key can be the name of a property that every object has', async () => {
    await withPlace((place) =>
      withClient(place, async ({ call, failure }) => {
        for (const key of ['__proto__', 'constructor', 'toString', '..', '.', 'CON', '-rf']) {
          const lookup = await failure('get_conversation', { conversationId: key });
          expect(lookup.code, key).toBe('CONVERSATION_NOT_FOUND');
          const saving = { conversationId: key, role: 'user', content: key };
          expect(await call('save_message', saving), key).toMatchObject({ created: true });
          expect(await call('get_conversation', { conversationId: key })).toMatchObject({
            clientId: key,
            messages: [{ content: key }],
          });
        }
      }),
    );
  });
});

describe('a hostile message after a restart', () => {
  it('has the same content', async () => {
    await withPlace(async (place) => {
      const entries = Object.entries(CONTENTS);
      await withClient(place, async ({ call }) => {
        for (const [name, content] of entries) {
          await call('save_message', {
            conversationId: 'hostile',
            role: 'user',
            content,
            metadata: { name },
          });
        }
      });
      await withClient(place, async ({ call }) => {
        const shown = await readAll(call, 'hostile');
        const { conversationPath } = await call('get_conversation', { conversationId: 'hostile' });
        const file = join(String(conversationPath), 'conversation.json');
        const stored = JSON.parse(await readFile(file, 'utf8')) as Stored;
        expect(stored.messages).toHaveLength(entries.length);
        for (const [index, [name, content]] of entries.entries()) {
          expect(stored.messages[index]?.content === content, name).toBe(true);
          const { content: given = '', isCut } = shown[index] ?? {};
          expect(isCut ? content.startsWith(given) && given !== '' : given === content, name).toBe(
            true,
          );
        }
      });
    });
  });

  it('is cut if an answer of the protocol cannot contain it, and its rest can be read', async () => {
    await withPlace((place) =>
      withClient(place, async ({ call }) => {
        const message = { conversationId: 'huge', role: 'user' };
        await call('save_message', { ...message, content: 'before' });
        const escaped = '\u0001'.repeat(1_600_000); // six times as long in JSON
        const { messageId } = await call('save_message', { ...message, content: escaped });
        const page = { conversationId: 'huge', messageLimit: 1 };
        expect(await call('get_conversation', page)).toMatchObject({ messages: [{ isCut: true }] });
        const rest = await call('get_conversation', { ...page, beforeMessageId: messageId });
        expect(rest).toMatchObject({ total: 2, messages: [{ content: 'before' }] });
      }),
    );
  });

  it('has the same metadata', async () => {
    await withPlace(async (place) => {
      const entries = Object.entries(METADATA);
      await withClient(place, async ({ call }) => {
        for (const [content, json] of entries) {
          const metadata = JSON.parse(json);
          await call('save_message', { conversationId: 'meta', role: 'user', content, metadata });
        }
      });
      await withClient(place, async ({ call }) => {
        const { messages } = await call('get_conversation', { conversationId: 'meta' });
        for (const [index, [name, json]] of entries.entries()) {
          const got = (messages as { metadata: unknown }[])[index]?.metadata;
          expect(JSON.stringify(got), name).toBe(json);
        }
      });
    });
  });

  it('has a conversation with the same title and tags, also with control characters', async () => {
    await withPlace((place) =>
      withClient(place, async ({ call }) => {
        const start = { title: 'a\u0000\n\u001b[31m', tags: ['\ud800', ''] };
        const message = { conversationId: 'odd', role: 'user', content: 'x' };
        await call('save_message', { ...message, ...start });
        expect(await call('get_conversation', { conversationId: 'odd' })).toMatchObject({
          ...start,
          tags: ['\ud800'],
        });
      }),
    );
  });
});

describe('arguments of the wrong kind', () => {
  it.each([
    ['metadata that is a list', { role: 'user', content: 'x', metadata: [1] }],
    ['a content that is null', { role: 'user', content: null }],
    ['content that is a number', { role: 'user', content: 5 }],
    ['no content', { role: 'user' }],
    ['an unknown argument', { role: 'user', content: 'x', path: '/etc' }],
  ])('%s is VALIDATION_ERROR', async (_, args) => {
    await withPlace((place) =>
      withClient(place, async ({ failure }) => {
        expect((await failure('save_message', args)).code).toBe('VALIDATION_ERROR');
      }),
    );
  });
});
