/**
 * A process that writes to a conversation store and a knowledge graph on command. `flood` starts all writes
 * at once; `stream` saves one message after another in different ways until the process is killed. The
 * process prints each text that the store acknowledged.
 */
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { factAbout, syncedGraphIn } from '../../support/synced-graph.js';
import { commands, say, task } from './lines.js';

export interface WriterTask {
  logs: string;
  graphFolder: string;
}

export type WriterCommand =
  | { do: 'flood'; ref: string; prefix: string; count: number; create: boolean }
  | { do: 'create'; prefix: string; count: number }
  | { do: 'stream'; ref: string; key: string; prefix: string; first: number };

export interface Acknowledged {
  text: string;
  /** The id of the conversation; absent for a fact of the graph. */
  id?: string;
}

const { logs, graphFolder } = task<WriterTask>();
const store = await openConversationStore({ logsFolder: logs, maxMessages: 1e6, fsync: true });
const graph = syncedGraphIn(graphFolder);

async function append(ref: string, text: string, create: boolean): Promise<void> {
  const { head } = await store.append(ref, [{ role: 'user', content: text }], { create });
  say({ text, id: head.conversationId } satisfies Acknowledged);
}

async function create(text: string): Promise<void> {
  const { conversationId } = await store.create({ messages: [{ role: 'user', content: text }] });
  say({ text, id: conversationId } satisfies Acknowledged);
}

async function addFact(text: string): Promise<void> {
  await graph.add([factAbout(text)]);
  say({ text } satisfies Acknowledged);
}

async function stream(ref: string, key: string, prefix: string, first: number): Promise<never> {
  for (let count = first; ; count += 1) {
    const text = `${prefix}-${count} ${'x'.repeat(300)}`;
    const ways = [
      () => append(ref, text, false),
      () => Promise.all([append(ref, `${text}a`, false), append(ref, `${text}b`, false)]),
      () => append(key, text, true),
      () => create(text),
      () => addFact(`${prefix}-${count}`),
    ];
    await ways[count % ways.length]?.();
  }
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

say({ ready: true });
for await (const command of commands<WriterCommand>()) {
  if (command.do === 'stream')
    await stream(command.ref, command.key, command.prefix, command.first);
  else if (command.do === 'create')
    await Promise.all(numbered(command.prefix, command.count).map(create));
  else {
    const { ref, prefix, count, create: isNew } = command;
    await Promise.all(numbered(prefix, count).map((text) => append(ref, text, isNew)));
  }
  say({ done: true });
}
