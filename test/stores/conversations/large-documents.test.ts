/** Whole documents of large conversations, as exports, imports and the doctor read them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { ConversationDocuments } from '../../../src/stores/conversations/files/conversation-documents.js';
import { ConversationRepairer } from '../../../src/stores/conversations/repair/conversation-repairer.js';
import { blockedCpuMs } from '../../support/cpu-time.js';
import { tempFolder } from '../../support/temp-folder.js';
import { ID0 } from './store.js';

function writeLarge(sentences = 5): { logsFolder: string; value: { messages: object[] } } {
  const logsFolder = tempFolder();
  const messages = Array.from({ length: 20_000 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at} The river rises in the hills and goes down to the sea. `.repeat(sentences),
  }));
  mkdirSync(join(logsFolder, ID0));
  writeFileSync(join(logsFolder, ID0, 'conversation.json'), JSON.stringify({ messages }));
  return { logsFolder, value: { messages } };
}

it('other tasks run while a large conversation is read, made or examined', async () => {
  const { logsFolder, value } = writeLarge();
  const options = { logsFolder, clock: systemClock, fsync: false };
  const documents = new ConversationDocuments(options);
  const repairer = new ConversationRepairer(options);
  for (const work of [
    () => documents.read(ID0),
    () => documents.parse(ID0, value, ID0),
    () => repairer.examine(ID0),
  ]) {
    const { longest, all } = await blockedCpuMs(work);
    expect(longest).toBeLessThan(all / 2);
  }
});

it('other tasks run while the earlier version of a large conversation is stored', async () => {
  const { logsFolder } = writeLarge(20);
  const store = await openConversationStore({ logsFolder, maxMessages: 1e6, fsync: false });
  onTestFinished(() => store.close());
  await store.load(ID0);
  const { longest, all } = await blockedCpuMs(() =>
    store.revise(ID0, ({ messages, updatedAt }) => ({ updatedAt, messages: messages.slice(1) })),
  );
  expect(longest).toBeLessThan(0.4 * all);
});
