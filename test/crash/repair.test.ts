/**
 * Proves: a repair that is killed before any of its file-system calls leaves the damaged file or the
 * mended one, and the damaged bytes somewhere; the next repair ends the work.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { ConversationMender } from '../../src/stores/conversations/mending/conversation-mender.js';
import { conversationText, ID } from '../doctor/place.js';
import { Child } from '../support/child.js';
import { tempFolder, timeLimitMs } from '../support/rounds.js';
import type { InterruptedResult, InterruptedTask } from './children/interrupted.js';

const whole = conversationText(['first', 'second', 'third']);
const broken = whole.slice(0, whole.indexOf('third') + 2);

function damagedRoot(): string {
  const root = tempFolder();
  mkdirSync(join(root, 'conversation-logs', ID), { recursive: true });
  writeFileSync(join(root, 'conversation-logs', ID, 'conversation.json'), broken);
  return root;
}

const interrupt = (root: string, at: number) => {
  const task: InterruptedTask = {
    ...{ root, operation: 'repair', ref: ID, text: '' },
    ...{ at, signal: 'SIGKILL' },
  };
  return new Child('interrupted', task);
};

it(
  'a killed repair loses nothing',
  async () => {
    const counting = interrupt(damagedRoot(), -1);
    const { calls } = await counting.next<InterruptedResult>();
    await counting.ended();
    expect(calls).toBeGreaterThan(10);
    for (let at = 0; at < calls; at += 1) {
      const root = damagedRoot();
      const logsFolder = join(root, 'conversation-logs');
      const child = interrupt(root, at);
      await child.ended();
      const folder = join(logsFolder, ID);
      const texts = () =>
        readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
      expect(texts(), `killed before call ${at}`).toContain(broken);
      const mender = new ConversationMender({ logsFolder, clock: systemClock, fsync: false });
      await mender.mend(ID);
      expect(texts()).toContain(broken);
      const store = await openConversationStore({ logsFolder, maxMessages: 100, fsync: false });
      await store.tidy();
      expect((await store.load(ID)).messages.map(({ content }) => content)).toEqual([
        'first',
        'second',
      ]);
      await store.close();
    }
  },
  timeLimitMs(60_000),
);
