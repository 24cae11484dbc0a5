/** Figures of a conversation with many messages, counted while other work goes on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Figures } from '../../src/analytics/figures.js';
import { silentLog } from '../../src/base/log.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { cpuMs } from '../support/cpu-time.js';

const TEXT = 'The river rises in the hills and goes down to the sea. '.repeat(40);
const COUNT = 4000;

async function storeWith(messages: readonly { role: 'user'; content: string }[]) {
  const logsFolder = mkdtempSync(join(tmpdir(), 'daybook-figures-'));
  onTestFinished(() => rmSync(logsFolder, { recursive: true, force: true }));
  const store = await openConversationStore({ logsFolder, maxMessages: COUNT, fsync: false });
  onTestFinished(() => store.close());
  const { conversationId } = await store.create({ messages });
  await store.view(conversationId);
  return { store, conversationId };
}

async function figuresWith(messages: readonly { role: 'user'; content: string }[]) {
  return new Figures({ store: (await storeWith(messages)).store, log: silentLog });
}

it('has no words of a conversation that is deleted while a report is made', async () => {
  const { store, conversationId } = await storeWith([{ role: 'user', content: 'Larch and oak' }]);
  const figures = new Figures({ store, log: silentLog });
  const [found] = [...(await figures.all())];
  if (found === undefined) throw new Error('no figures');
  await store.trash(conversationId);
  expect(await figures.wordsOf(found)).toEqual([]);
});

it('lets other work run while it counts a long conversation', async () => {
  const messages = Array.from({ length: COUNT }, (_, at) => ({
    role: 'user' as const,
    content: `${at} ${TEXT}`,
  }));
  const figures = await figuresWith(messages);
  let isOver = false;
  // Processor time: on a loaded machine this process waits for its turn, in the middle of a step.
  const began = cpuMs();
  let last = began;
  let longest = 0;
  const turn = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const [found] = [...(await figures.all())];
  isOver = true;
  const whole = cpuMs() - began;
  await new Promise((done) => setImmediate(done));
  expect(found?.messages).toHaveLength(COUNT);
  expect(longest / whole).toBeLessThan(0.4);
});

it('estimates the words of a very long conversation from every second or third message', async () => {
  const figures = await figuresWith(
    Array.from({ length: 2500 }, (_, at) => ({
      role: 'user' as const,
      content: `${TEXT} ${at % 3 === 0 ? 'Oxbow.' : ''} ${at % 2 === 1 ? 'Unread.' : ''}`,
    })),
  );
  const [found] = [...(await figures.all())];
  if (found === undefined) throw new Error('no figures');
  const words = new Map(
    (await figures.wordsOf(found)).map(({ word, inConversation }) => [word, inConversation]),
  );
  expect(words.get('river')).toBe(2500);
  expect(words.get('oxbow')).toBe(834);
  expect(words.has('unread')).toBe(false);
});

it('stops reading when its only caller is cancelled, and reads the rest for the next', async () => {
  const logsFolder = mkdtempSync(join(tmpdir(), 'daybook-figures-'));
  onTestFinished(() => rmSync(logsFolder, { recursive: true, force: true }));
  const store = await openConversationStore({ logsFolder, maxMessages: COUNT, fsync: false });
  onTestFinished(() => store.close());
  for (let n = 0; n < 10; n += 1) {
    await store.create({ messages: [{ role: 'user', content: `talk ${n}` }] });
  }
  // What was created is known already; another store has read nothing.
  const another = await openConversationStore({ logsFolder, maxMessages: COUNT, fsync: false });
  onTestFinished(() => another.close());
  await another.list();
  const stop = new AbortController();
  let views = 0;
  const view = another.view.bind(another);
  another.view = (ref) => {
    views += 1;
    if (views === 3) stop.abort(new Error('cancelled'));
    return view(ref);
  };
  const figures = new Figures({ store: another, log: silentLog });
  await expect(figures.all({ signal: stop.signal })).rejects.toThrow('cancelled');
  expect(views).toBe(3);
  expect([...(await figures.all())]).toHaveLength(10);
  expect(views).toBe(10);
});
