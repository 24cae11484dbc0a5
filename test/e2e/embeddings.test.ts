/** Embeddings in a real server: they are announced, made in the background, and completed after a kill. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storeInfo } from '../../src/tools/conversations/store-info.js';
import { startEmbeddings } from '../support/embeddings-stand-in.js';
import { BareServer, type Place, withClient, withPlace } from './harness.js';

const MESSAGES = 120;
const vectorsIn = (place: Place) => join(place.folder, '.cache', 'daybook', 'vectors');

const saveAll = (place: Place) =>
  withClient(place, async ({ call }) => {
    for (let n = 0; n < MESSAGES; n += 1) {
      await call('save_message', {
        conversationId: 'a',
        role: 'user',
        content: `Board ${n} is of larch.`,
      });
    }
  });

const embedded = (place: Place) =>
  withClient(place, async ({ call }) => {
    const progress = async () => storeInfo.output.parse(await call('store_info')).embeddings;
    await expect.poll(async () => (await progress())?.state ?? 'ready').toBe('ready');
    return progress();
  });

describe('embeddings in a server', () => {
  it('are completed by the next server after the first server was killed in the middle', async () => {
    await withPlace(async (place) => {
      await saveAll(place);
      const api = await startEmbeddings();
      api.most = 1;
      const env = {
        ...place.env,
        DAYBOOK_EMBEDDINGS: 'openai',
        DAYBOOK_EMBEDDINGS_ENDPOINT: api.url,
        DAYBOOK_EMBEDDINGS_MODEL: 'm1',
      };
      const killed = new BareServer({ ...place, env });
      await killed.initialize();
      killed.send('tools/call', { name: 'store_info', arguments: {} });
      await expect.poll(() => api.texts.length).toBeGreaterThan(0);
      killed.process.kill('SIGKILL');
      await killed.exit();
      expect(killed.stderr).toContain(`sent to ${new URL(api.url).host}`);
      expect(api.texts.length).toBeLessThan(MESSAGES);
      api.most = Number.POSITIVE_INFINITY;
      expect(await embedded({ ...place, env })).toMatchObject({
        mode: 'openai',
        model: 'm1',
        embedded: MESSAGES,
        passages: MESSAGES,
        damagedFiles: 0,
      });
      expect(existsSync(vectorsIn(place))).toBe(true);
    });
  });

  it('are neither loaded nor stored if they are off', async () => {
    await withPlace(async (place) => {
      await saveAll(place);
      expect(await embedded(place)).toBeUndefined();
      expect(existsSync(vectorsIn(place))).toBe(false);
    });
  });
});
