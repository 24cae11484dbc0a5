/** Search by meaning with the command line, and a server with the API of OpenAI on this machine. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EmbeddingsStandIn, startEmbeddings } from '../support/embeddings-stand-in.js';
import { type Place, runCommand, withPlace } from './harness.js';

const ID = '20250124-1737705600000';

/** Makes a store with one conversation, whose messages have no word of the question. */
async function withMessages(work: (place: Place, api: EmbeddingsStandIn) => Promise<void>) {
  const api = await startEmbeddings();
  await withPlace(async (place) => {
    const folder = join(place.root, 'conversation-logs', ID);
    await mkdir(folder, { recursive: true });
    const messages = ['The bed is of larch.', 'The server is down.'].map((content) => ({
      role: 'user',
      content,
    }));
    await writeFile(
      join(folder, 'conversation.json'),
      JSON.stringify({ conversationId: ID, title: 'Garden', messages }),
    );
    const env = {
      ...place.env,
      DAYBOOK_EMBEDDINGS: 'openai',
      DAYBOOK_EMBEDDINGS_ENDPOINT: api.url,
      DAYBOOK_EMBEDDINGS_MODEL: 'm1',
    };
    await work({ ...place, env }, api);
  });
}
const run = (place: Place, ...args: string[]) => runCommand(place, ['--root', place.root, ...args]);

describe('daybook embeddings update', () => {
  it('sends nothing that servers refuse: no message without text, no half of an emoji', async () => {
    await withMessages(async (place) => {
      const folder = join(place.root, 'conversation-logs', '20250124-1737705600001');
      await mkdir(folder);
      const messages = ['', ' \n', 'A board \ud83d.'].map((content) => ({ role: 'user', content }));
      await writeFile(join(folder, 'conversation.json'), JSON.stringify({ messages }));
      const made = await run(place, 'embeddings', 'update');
      expect(made, made.stderr).toMatchObject({ code: 0 });
      expect(made.stdout).toContain('3 passages');
      expect((await run(place, 'doctor')).stdout).not.toContain('no vector');
    });
  });

  it('sends nothing without the key that the settings name, and says which variable is missing', async () => {
    await withMessages(async (place, api) => {
      const env = { ...place.env, DAYBOOK_EMBEDDINGS_KEY_ENV: 'MISSING_KEY' };
      for (const words of [['embeddings'], ['embeddings', 'update']]) {
        const { code, stdout, stderr } = await run({ ...place, env }, ...words);
        expect(code).not.toBe(0);
        expect(stdout + stderr).toContain('MISSING_KEY is not set');
      }
      expect(api.texts).toEqual([]);
    });
  });

  it('makes the vectors with which a search on the command line finds texts by meaning', async () => {
    await withMessages(async (place, api) => {
      const before = await run(place, 'search', '--mode', 'semantic', 'wood', '--json');
      expect(JSON.parse(before.stdout)).toMatchObject({ total: 0 });
      const told = await run(place, 'search', '--mode', 'semantic', 'wood');
      expect(told.stderr).toMatch(/run daybook .*embeddings update/);
      const made = await run(place, 'embeddings', 'update');
      expect(made).toMatchObject({ code: 0 });
      expect(made.stdout).toContain('2 passages');
      const after = await run(place, 'search', '--mode', 'semantic', 'wood', '--json');
      expect(JSON.parse(after.stdout).results[0]).toMatchObject({
        conversationId: ID,
        seq: 1,
      });
      const sent = api.texts.length;
      expect((await run(place, 'embeddings', 'update')).code).toBe(0);
      expect(api.texts, 'nothing is embedded twice').toHaveLength(sent);
    });
  });

  it('fails if the server refuses, and a search then reports that it uses words only', async () => {
    await withMessages(async (place, api) => {
      const ready = await run(place, 'embeddings');
      expect(ready.stdout).toContain('ready');
      expect(ready.code).toBe(0);
      api.mood = 'busy';
      const status = await run(place, 'embeddings');
      expect(status.stdout).toContain('cannot be used');
      expect(status.code).toBe(1);
      const made = await run(place, 'embeddings', 'update');
      expect(made.code).not.toBe(0);
      expect(made.stderr).toContain('out of memory');
      const found = await run(place, 'search', 'larch');
      expect(found.code).toBe(0);
      expect(found.stdout).toContain('larch');
    });
  });

  it('prints how to switch embeddings on if they are off', async () => {
    await withMessages(async (place) => {
      const env = { ...place.env, DAYBOOK_EMBEDDINGS: 'off' };
      const made = await run({ ...place, env }, 'embeddings', 'update');
      expect(made.code).not.toBe(0);
      expect(made.stderr).toContain('DAYBOOK_EMBEDDINGS');
    });
  });
});
