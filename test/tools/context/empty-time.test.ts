/** A question that names a time without messages: the results are from other times, and a note says so. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDaybook } from '../../../src/api/open-daybook.js';
import { getRelevantSnippets } from '../../../src/tools/context/get-relevant-snippets.js';
import { searchMemory } from '../../../src/tools/context/search-memory.js';
import { searchMessages } from '../../../src/tools/conversations/search-messages.js';
import { tempFolder } from '../../support/temp-folder.js';

async function open() {
  const daybook = await openDaybook({ root: tempFolder() });
  onTestFinished(() => daybook.close());
  await daybook.call('save_message', { role: 'user', content: 'The pear tree has yellow leaves.' });
  return async (query: string) => [
    searchMessages.output.parse(await daybook.call('search_messages', { query })),
    getRelevantSnippets.output.parse(await daybook.call('get_relevant_snippets', { query })),
    searchMemory.output.parse(await daybook.call('search_memory', { query })),
  ];
}

describe('a question that names a time', () => {
  it('without messages has a note with the results', async () => {
    const ask = await open();
    for (const { note } of await ask('What did we say about the pear tree last year?'))
      expect(note).toContain('"last year"');
  });

  it('without messages and results has an explanation', async () => {
    const ask = await open();
    const [messages, snippets, memory] = await ask('What did we talk about last year?');
    expect(messages).toMatchObject({ total: 0 });
    expect(JSON.stringify(messages)).toContain('last year\\"');
    for (const { note } of [snippets, memory].flatMap((each) => each ?? []))
      expect(note).toContain('"last year"');
  });

  it('with messages has no note', async () => {
    const ask = await open();
    for (const { note } of await ask('What did we say about the pear tree in the last two days?'))
      expect(note).toBeUndefined();
  });
});
