/** A conversation file that is large enough to be read in steps, with several callers at the same time. */
import { expect, it } from 'vitest';
import { runToCompletion } from '../../../src/base/async/time-slice.js';
import { plainCodec } from '../../../src/files/sealing/text-codec.js';
import {
  conversationSteps,
  parseConversation,
} from '../../../src/stores/conversations/document/parse-conversation.js';
import { ID0, openStore, user } from './store.js';

const MESSAGES = 3000;
const written = (note: string, ids: (at: number) => string | undefined) => ({
  title: note,
  messages: Array.from({ length: MESSAGES }, (_, at) => ({
    id: ids(at),
    ...user(`${at % 50} ${note} ${'The river rises in the hills. '.repeat(20)}`),
  })),
});

it.each([
  ['with ids', (at: number) => `id-${at}`],
  ['without ids', () => undefined],
  ['with ids that come twice', (at: number) => `id-${at % 7}`],
])('a file that is read in steps is the same as when it is read at once, %s', async (_, ids) => {
  const { store, put, fileOf } = await openStore();
  const value = written('As it was', ids);
  put(ID0, value);
  const location = { path: fileOf(ID0), conversationId: ID0 };
  const asIfSmall = parseConversation(JSON.parse(JSON.stringify(value)), location, plainCodec);
  const { messages, ...head } = await store.load(ID0);
  expect(head).toEqual(asIfSmall.head);
  expect(messages).toEqual(asIfSmall.snapshot().messages);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(MESSAGES);
});

it('reading in steps pauses at every message', () => {
  const value = JSON.parse(JSON.stringify(written('x', () => undefined)));
  const steps = conversationSteps(value, { path: 'p', conversationId: ID0 }, plainCodec);
  let pauses = 0;
  for (; !steps.next().done; ) pauses += 1;
  expect(pauses).toBeGreaterThanOrEqual(MESSAGES);
});

it('a file is read once for all callers at the same time', async () => {
  const { store, put } = await openStore();
  put(
    ID0,
    written('Once', () => undefined),
  );
  const [first, second] = await Promise.all([store.view(ID0), store.view(ID0)]);
  expect(second).toBe(first);
  const [third, fourth] = await Promise.all([store.peek(ID0), store.peek(ID0)]);
  expect(fourth).toBe(third);
});

it('a file is read again if it was replaced during the read', async () => {
  const { store, put } = await openStore();
  put(
    ID0,
    written('Before', () => undefined),
  );
  const first = store.load(ID0);
  await new Promise((done) => setImmediate(done));
  put(ID0, { title: 'After', messages: [user('x')] });
  expect((await store.load(ID0)).title).toBe('After');
  await first;
});

it('rendering in steps gives the same file as rendering at once', () => {
  const document = parseConversation(
    JSON.parse(JSON.stringify(written('x', (at) => `id-${at}`))),
    { path: 'p', conversationId: ID0 },
    plainCodec,
  );
  const other = parseConversation(
    document.snapshot(),
    { path: 'p', conversationId: ID0 },
    plainCodec,
  );
  runToCompletion(document.serialiseNew());
  expect(Buffer.from(document.render(document.head))).toEqual(
    Buffer.from(other.render(other.head)),
  );
});
