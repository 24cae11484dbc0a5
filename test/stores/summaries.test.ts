/**
 * `summaries.json`: one summary for each level, replaced as a whole under the conversation's lock, edited by
 * hand.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { addSummaries } from '../../src/stores/summaries/exported-summaries.js';
import { type StoredSummary, sourceHashOf } from '../../src/stores/summaries/summary-file.js';
import { SummaryStore } from '../../src/stores/summaries/summary-store.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

async function openStores() {
  const logsFolder = join(tempFolder(), 'logs');
  const conversations = await openConversationStore({ logsFolder, fsync: false, maxMessages: 100 });
  const { conversationId } = await conversations.create({
    messages: [{ role: 'user', content: 'Why?' }],
  });
  const file = join(logsFolder, conversationId, 'summaries.json');
  const open = () => new SummaryStore({ logsFolder, conversations, fsync: false });
  const text = () => readFileSync(file, 'utf8');
  const hash = async () => sourceHashOf((await conversations.load(conversationId)).messages);
  return {
    logsFolder,
    conversations,
    conversationId,
    store: open(),
    another: open,
    file,
    text,
    hash,
  };
}

const summary = (change: Partial<StoredSummary> = {}): StoredSummary => ({
  text: 'It was asked why.',
  provider: 'extractive',
  messageCount: 1,
  sourceHash: 'a'.repeat(64),
  qualityScore: 0.5,
  generatedAt: '2025-01-24T13:20:00.123Z',
  ...change,
});

describe('summaries', () => {
  it('of an import do not replace one that another process stores at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { store, another, conversationId: id } = await openStores();
      const imported = {
        ...summary({ text: 'Imported.' }),
        level: 'brief',
        tokenCount: 3,
      } as const;
      const made = another().put(id, 'brief', summary({ text: 'Made here.' }));
      await Promise.all([addSummaries(id, { brief: imported }, store), made]);
      const { text } = (await another().get(id)).brief ?? {};
      expect(text).toBe('Made here.');
    }
  });

  it('are empty at first, and then have one text for each level in a private, readable file', async () => {
    const { store, another, conversationId: id, file, text } = await openStores();
    expect(await store.get(id)).toEqual({});
    await store.put(id, 'detailed', summary({ model: 'm', provider: 'p', startMessageId: 'x' }));
    await store.put(id, 'brief', summary());
    await store.put(id, 'brief', summary({ text: 'Newer.' }));
    expect(await another().get(id)).toEqual({
      brief: { ...summary({ text: 'Newer.' }), level: 'brief', tokenCount: 2 },
      detailed: {
        ...summary({ model: 'm', provider: 'p', startMessageId: 'x' }),
        level: 'detailed',
        tokenCount: 5,
      },
    });
    expect(Object.keys(JSON.parse(text()).summaries)).toEqual(['brief', 'detailed']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(text()).toMatch(/^\{\n {2}"formatVersion": 1,\n {2}"conversationId": "\d/);
    expect(text()).toMatch(/\}\n$/);
  });

  it('lose no level if two are written at the same time', async () => {
    const { store, another, conversationId: id } = await openStores();
    await Promise.all([
      store.put(id, 'brief', summary()),
      another().put(id, 'standard', summary()),
      another().put(id, 'detailed', summary()),
    ]);
    expect(Object.keys(await store.get(id))).toEqual(['brief', 'standard', 'detailed']);
  });

  it('of the present conversation are not replaced by a late summary of an older state', async () => {
    const { store, conversationId: id, hash } = await openStores();
    await store.put(id, 'brief', summary({ text: 'Now.', sourceHash: await hash() }));
    const late = await store.put(id, 'brief', summary({ text: 'Late.' }));
    expect(late.text).toBe('Now.');
    expect((await store.get(id)).brief?.text).toBe('Now.');
  });

  it('accept what people write, and keep unknown fields', async () => {
    const { store, conversationId: id, file, text } = await openStores();
    writeFileSync(
      file,
      '\uFEFF{"mine": 1,\r\n "summaries": {"brief": {"text": "By hand.", "qualityScore": "?", "messageCount": {"toString": null}}, "standard": 7, "own": {"a": 1}}}',
    );
    expect(await store.get(id)).toEqual({
      brief: {
        level: 'brief',
        text: 'By hand.',
        tokenCount: 2,
        provider: 'unknown',
        messageCount: 0,
        sourceHash: '',
        qualityScore: 0,
        generatedAt: '',
      },
    });
    await store.put(id, 'standard', summary());
    expect(JSON.parse(text())).toMatchObject({
      mine: 1,
      summaries: { brief: { text: 'By hand.' }, own: { a: 1 } },
    });
  });

  it.each([
    ['{ broken', 'CORRUPT'],
    ['[1]', 'CORRUPT'],
    ['', 'CORRUPT'],
    [`{"mine": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'CORRUPT'],
    ['{"formatVersion": 2}', 'FORMAT_TOO_NEW'],
  ])('are reported and not changed if the file is %.40j', async (content, code) => {
    const { store, conversationId: id, file, text } = await openStores();
    writeFileSync(file, content);
    expect((await errorOf(store.get(id))).code).toBe(code);
    expect((await errorOf(store.put(id, 'brief', summary()))).code).toBe(code);
    expect(text()).toBe(content);
  });

  it('are not written for a conversation that was deleted', async () => {
    const { store, conversations, conversationId: id, logsFolder } = await openStores();
    await conversations.trash(id);
    expect((await errorOf(store.put(id, 'brief', summary()))).code).toBe('CONVERSATION_NOT_FOUND');
    expect(existsSync(join(logsFolder, id))).toBe(false);
  });

  it('are moved to the trash and back with their conversation', async () => {
    const { store, conversations, conversationId: id } = await openStores();
    await store.put(id, 'brief', summary());
    const { path } = await conversations.trash(id);
    expect(existsSync(join(path, 'summaries.json'))).toBe(true);
    await conversations.restore(id);
    expect((await store.get(id)).brief?.text).toBe('It was asked why.');
  });
});
