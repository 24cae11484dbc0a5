/** Messages that were deleted here: `metadata.source` names them, and no import adds them again. */
import { expect, it } from 'vitest';
import { messageHash } from '../../src/stores/conversations/document/message-hash.js';
import type { Message } from '../../src/stores/conversations/document/schema.js';
import { fileWith, openImportBench } from './bench.js';

type Bench = Awaited<ReturnType<typeof openImportBench>>;
const idOf = (name: string) => `message-0000-0000-${name}`;

/** A chat of messages in a row, as `name: text`. */
const chat = (day: number, ...rows: readonly string[]) => {
  const time = `2026-01-0${day}T10:00:00.000Z`;
  const messages = rows.map((row) => row.split(': '));
  return fileWith(
    [
      {
        uuid: 'c',
        name: 'T',
        created_at: '2026-01-01T10:00:00.000Z',
        updated_at: time,
        current_leaf_message_uuid: idOf(messages.at(-1)?.[0] ?? ''),
        chat_messages: messages.map(([name = '', text], index) => ({
          uuid: idOf(name),
          parent_message_uuid: index === 0 ? null : idOf(messages[index - 1]?.[0] ?? ''),
          sender: index % 2 === 0 ? 'human' : 'assistant',
          text,
          created_at: '2026-01-01T10:00:00.000Z',
        })),
      },
    ],
    'conversations.json',
  );
};

const textsOf = ({ folders, jsonOf }: Bench): string[][] =>
  folders().map((folder) =>
    jsonOf(folder).messages.map(({ content }: { content: string }) => content),
  );

async function remove({ store, folders, jsonOf }: Bench, text: string): Promise<string> {
  for (const folder of folders()) {
    const messages: { id: string; content: string }[] = jsonOf(folder).messages;
    const found = messages.find(({ content }) => content === text);
    if (found === undefined) continue;
    await store.edits.remove(folder, found.id, messageHash(text));
    return folder;
  }
  throw new Error(`${text} is not there`);
}

it('an older export with only some of the deleted messages adds none of them', async () => {
  const bench = await openImportBench();
  const older = chat(1, 'q1: one', 'a1: two', 'q2: three');
  await bench.import(older);
  await bench.import(chat(2, 'q1: one', 'a1: two', 'q2: three', 'a2: four', 'q3: five'));
  for (const text of ['two', 'four']) await remove(bench, text);
  const { source } = bench.bySource('c').metadata;
  expect(source.deleted).toEqual([idOf('a1'), idOf('a2')]);
  expect(source.kept).toMatchObject({ count: 3 });
  const before = bench.hash();
  await bench.import(older);
  expect(bench.hash()).toBe(before);
  // What is left counts as unchanged, so new texts are written in their place.
  const newer = ['q1: one!', 'a1: two', 'q2: three', 'a2: four!', 'q3: five', 'a3: six'];
  await bench.import(chat(3, ...newer));
  expect(textsOf(bench)).toEqual([['one!', 'three', 'five', 'six']]);
  expect(bench.bySource('c').metadata.source.deleted).toEqual(source.deleted);
});

it('a message that answers a deleted one answers the message before it', async () => {
  const bench = await openImportBench();
  const messages = [1, 2, 3, 4].map((n) => ({
    id: idOf(`n${n}`),
    role: n % 2 === 1 ? 'user' : 'assistant',
    content: `text ${n}`,
    ...(n > 1 && { parent_message_id: idOf(`n${n - 1}`) }),
  }));
  await bench.importText({ id: 'c', messages: messages.slice(0, 3) }, 'chat.json');
  await remove(bench, 'text 2');
  await bench.importText({ id: 'c', messages }, 'chat.json');
  expect(textsOf(bench)).toEqual([['text 1', 'text 3', 'text 4']]);
  const parents = bench.bySource('c').messages.map((each: Message) => each.parentMessageId);
  expect(parents).toEqual([undefined, idOf('n1'), idOf('n3')]);
});

it('a message that comes back with an earlier version is an imported message again', async () => {
  const bench = await openImportBench();
  await bench.import(chat(1, 'q1: one', 'a1: two', 'q2: three'));
  const folder = await remove(bench, 'two');
  const [version] = (await bench.store.history.list(folder)).versions;
  await bench.store.history.restore(folder, version?.number ?? 0);
  expect(bench.bySource('c').metadata.source).not.toHaveProperty('deleted');
  await bench.import(chat(2, 'q1: one', 'a1: two!', 'q2: three', 'a2: four'));
  expect(textsOf(bench)).toEqual([['one', 'two!', 'three', 'four']]);
});

it("the source's text of an edited message does not come back either, and new messages follow", async () => {
  const bench = await openImportBench();
  await bench.import(chat(1, 'q1: one', 'a1: two'));
  const { conversationId } = bench.bySource('c');
  await bench.store.edits.update(conversationId, idOf('q1'), 'mine', messageHash('one'));
  const changed = ['q1: one!', 'a1: two', 'q2: three'];
  await bench.import(chat(2, ...changed));
  await bench.store.append(bench.bySource('c+').conversationId, [{ role: 'user', content: 'x' }]);
  await remove(bench, 'one!');
  await bench.import(chat(3, ...changed, 'a2: four'));
  expect(textsOf(bench).flat().sort()).toEqual(['four', 'mine', 'three', 'two', 'x']);
});

it('a deleted message does not come back after its conversation was merged', async () => {
  const bench = await openImportBench();
  await bench.import(chat(1, 'q1: one', 'a1: two', 'q2: three'));
  const folder = await remove(bench, 'two');
  const other = await bench.store.create({ messages: [{ role: 'user', content: 'other' }] });
  await bench.store.merge(other.conversationId, folder);
  await bench.import(chat(2, 'q1: one', 'a1: two', 'q2: three', 'a2: four'));
  expect(textsOf(bench).flat().sort()).toEqual(['four', 'one', 'other', 'three']);
});
