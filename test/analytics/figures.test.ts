/** Figures of a conversation with many messages, counted while other work goes on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Figures } from '../../src/analytics/figures.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';

const TEXT = 'The river rises in the hills and goes down to the sea. '.repeat(40);
const COUNT = 4000;

it('lets other work run while it counts a long conversation', async () => {
  const logsFolder = mkdtempSync(join(tmpdir(), 'daybook-figures-'));
  onTestFinished(() => rmSync(logsFolder, { recursive: true, force: true }));
  const store = await openConversationStore({ logsFolder, maxMessages: COUNT, fsync: false });
  onTestFinished(() => store.close());
  const messages = Array.from({ length: COUNT }, (_, at) => ({
    role: 'user' as const,
    content: `${at} ${TEXT}`,
  }));
  const { conversationId } = await store.create({ messages });
  await store.view(conversationId);
  let isOver = false;
  const began = performance.now();
  let last = began;
  let longest = 0;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const [found] = [...(await new Figures(store).all())];
  isOver = true;
  const whole = performance.now() - began;
  await new Promise((done) => setImmediate(done));
  expect(found?.messages).toHaveLength(COUNT);
  expect(longest / whole).toBeLessThan(0.4);
});
