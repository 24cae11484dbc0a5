/** A store whose folder was moved left the caches of its earlier path, which have its words. */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Place, withClient, withPlace } from '../e2e/harness.js';
import { startEmbeddings } from '../support/embeddings-stand-in.js';
import { filesBelow } from '../support/files-below.js';
import { filesWith, keyIn, run, withKey } from './store.js';

const MESSAGES = 2_100; // fewer are not cached
const cacheOf = ({ folder }: Place) => join(folder, '.cache');

/** Makes a store of two conversations with a cache, and moves its folder. */
async function moved(place: Place): Promise<Place> {
  const messages = Array.from({ length: MESSAGES }, (_, n) => ({
    role: 'user',
    content: `MarkMoved ${n}`,
  }));
  for (const id of ['20250124-1706102400123', '20250124-1706102400124']) {
    const folder = join(place.root, 'conversation-logs', id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'conversation.json'), JSON.stringify({ messages }));
  }
  await run(place, 'search', 'MarkMoved');
  const root = join(place.folder, 'moved');
  renameSync(place.root, root);
  return { ...place, root };
}

it('are named when the store is encrypted', () =>
  withPlace(async (place) => {
    const now = await moved(place);
    const key = keyIn(place);
    const report = await run(now, 'encrypt', '--key-file', key, '--yes', '--json');
    const { copies } = JSON.parse(report) as { copies: string[] };
    expect(copies.length).toBeGreaterThan(0);
    expect(filesWith('MarkMoved', [now.root, cacheOf(place)]).sort()).toEqual(
      filesWith('MarkMoved', [now.root, cacheOf(place)]).filter((path) => copies.includes(path)),
    );
    await run(withKey(now, key), 'search', 'MarkMoved');
  }));

it('of a small store are only vectors, which are named and removed too', () =>
  withPlace(async (place) => {
    const api = await startEmbeddings();
    const env = {
      ...place.env,
      DAYBOOK_EMBEDDINGS: 'openai',
      DAYBOOK_EMBEDDINGS_ENDPOINT: api.url,
      DAYBOOK_EMBEDDINGS_MODEL: 'm1',
    };
    const vectors = join(cacheOf(place), 'daybook', 'vectors');
    const other = { ...place, env, root: join(place.folder, 'other') };
    const before = { ...place, env };
    for (const each of [other, before]) {
      await withClient(each, async ({ call }) => {
        await call('save_message', { role: 'user', content: 'MarkMoved' });
      });
      await run(each, 'embeddings', 'update');
    }
    const root = join(place.folder, 'moved');
    renameSync(place.root, root);
    const now = { ...place, root };
    const key = keyIn(place);
    const report = await run(now, 'encrypt', '--key-file', key, '--yes', '--json');
    expect(readdirSync(vectors)).toHaveLength(2);
    const { copies } = JSON.parse(report) as { copies: string[] };
    const stray = copies.filter((path) => path.startsWith(vectors));
    expect(stray).toHaveLength(1);
    await run(withKey(now, key), 'redact', 'MarkMoved', '--yes');
    expect(filesBelow(vectors).filter((path) => path.endsWith('.vectors'))).toHaveLength(1);
    expect(filesBelow(stray[0] ?? '')).toEqual([]);
  }));

it('are removed when a text is redacted', () =>
  withPlace(async (place) => {
    const now = await moved(place);
    expect(filesWith('MarkMoved', [cacheOf(place)])).not.toEqual([]);
    await run(now, 'redact', 'MarkMoved', '--yes');
    expect(filesWith('MarkMoved', [now.root, cacheOf(place)])).toEqual([]);
    expect(readdirSync(join(now.root, 'conversation-logs'))).toContain('20250124-1706102400123');
  }));
