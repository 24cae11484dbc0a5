/** The recall engine with real vectors of the store: it finds a message without a common word. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../src/app.js';
import { loadConfig } from '../../src/config/config.js';
import { startEmbeddings } from '../support/embeddings-stand-in.js';
import { tempFolder } from '../support/temp-folder.js';

describe('recall with vectors', () => {
  it('finds a message that has no word of the question, and reports that vectors were used', async () => {
    const [folder, api] = [tempFolder(), await startEmbeddings()];
    const config = loadConfig({
      env: {
        DAYBOOK_EMBEDDINGS: 'openai',
        DAYBOOK_EMBEDDINGS_ENDPOINT: api.url,
        DAYBOOK_EMBEDDINGS_MODEL: 'm1',
        XDG_CACHE_HOME: join(folder, 'cache'),
        DAYBOOK_FSYNC: '0',
      },
      flags: { root: join(folder, 'root') },
      cwd: folder,
      home: folder,
      knownToolsets: [],
      readFile: () => undefined,
    });
    const app = await createApp(config);
    onTestFinished(() => app.close());
    const contents = [
      'The bed is of larch.',
      'Lettuce and radish come first.',
      'The disk is full.',
    ];
    await app.conversations.create({
      messages: contents.map((content) => ({
        role: 'user' as const,
        content,
        metadata: { speaker: 'Anna' },
      })),
    });
    app.start();
    while (app.embeddings.progress()?.embedded !== contents.length) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const request = { query: 'wood', mode: 'semantic' as const, limit: 3, offset: 0, filters: {} };
    const found = await app.messageSearch.search(request);
    expect(found.tier).toBe('vectors');
    expect(found.hits[0]?.seq).toBe(1);
    await app.messageSearch.search({ ...request, query: 'Which wood does Anna use?' });
    expect(api.texts.slice(-2)).toEqual(['Which wood does Anna use?', 'Which wood does use?']);
  });
});
