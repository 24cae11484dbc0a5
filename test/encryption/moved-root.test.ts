/** A store whose folder was moved left the caches of its earlier path, which have its words. */
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Place, withClient, withPlace } from '../e2e/harness.js';
import { startEmbeddings } from '../support/embeddings-stand-in.js';
import { filesBelow } from '../support/files-below.js';
import { filesWith, keyIn, run, withKey } from './store.js';

const MESSAGES = 2_100; // fewer are not cached
const cacheOf = ({ folder }: Place) => join(folder, '.cache');

/** Makes a store of two conversations. */
function fill(place: Place): void {
  const messages = Array.from({ length: MESSAGES }, (_, n) => ({
    role: 'user',
    content: `MarkMoved ${n}`,
  }));
  for (const id of ['20250124-1706102400123', '20250124-1706102400124']) {
    const folder = join(place.root, 'conversation-logs', id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'conversation.json'), JSON.stringify({ messages }));
  }
}

/** Makes a store with a cache, and moves its folder. */
async function moved(place: Place): Promise<Place> {
  fill(place);
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

/** The same place, with the settings of a server of embeddings. */
async function withEmbeddings(place: Place): Promise<Place> {
  const settings = {
    DAYBOOK_EMBEDDINGS: 'openai',
    DAYBOOK_EMBEDDINGS_ENDPOINT: (await startEmbeddings()).url,
    DAYBOOK_EMBEDDINGS_MODEL: 'm1',
  };
  return { ...place, env: { ...place.env, ...settings } };
}

/** Saves a message and makes its vector. */
async function saveWithVector(place: Place): Promise<void> {
  await withClient(place, async ({ call }) => {
    await call('save_message', { role: 'user', content: 'MarkMoved' });
  });
  await run(place, 'embeddings', 'update');
}

const vectorsIn = (folder: string) =>
  filesBelow(folder).filter((path) => path.endsWith('.vectors'));

it('of an encrypted store are removed when a text is redacted', () =>
  withPlace(async (place) => {
    fill(place);
    const key = keyIn(place);
    await run(place, 'encrypt', '--key-file', key, '--yes');
    await withClient(withKey(place, key), ({ call }) => call('store_info'));
    await run(withKey(place, key), 'search', 'MarkMoved');
    const indexes = () => filesBelow(cacheOf(place)).filter((path) => path.endsWith('.bin'));
    expect(indexes()).not.toEqual([]);
    const root = join(place.folder, 'moved');
    renameSync(place.root, root);
    await run(withKey({ ...place, root }, key), 'redact', 'MarkMoved', '--yes');
    expect(indexes()).toEqual([]);
  }));

it('of an encrypted store are only vectors with its key, which are removed too', () =>
  withPlace(async (place) => {
    const key = keyIn(place);
    const before = withKey(await withEmbeddings(place), key);
    await run(before, 'encrypt', '--key-file', key, '--yes');
    await saveWithVector(before);
    expect(vectorsIn(cacheOf(place))).toHaveLength(1);
    const root = join(place.folder, 'moved');
    renameSync(place.root, root);
    await run(withKey({ ...place, root }, key), 'redact', 'MarkMoved', '--yes');
    expect(vectorsIn(cacheOf(place))).toEqual([]);
  }));

it('of a small store are only vectors, which are named and removed too', () =>
  withPlace(async (place) => {
    const vectors = join(cacheOf(place), 'daybook', 'vectors');
    const before = await withEmbeddings(place);
    const other = { ...before, root: join(place.folder, 'other') };
    await saveWithVector(other);
    await saveWithVector(before);
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
    expect(vectorsIn(vectors)).toHaveLength(1);
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

it('of a root that cannot be inspected are not taken for those of a moved store', () =>
  withPlace(async (place) => {
    await withClient(place, ({ call }) =>
      call('save_message', { role: 'user', content: 'MarkMoved' }),
    );
    const owner = '0'.repeat(32);
    const [index, vectors] = ['index', 'vectors'].map((name) =>
      join(cacheOf(place), 'daybook', name),
    ) as [string, string];
    for (const folder of [index, join(vectors, owner)]) mkdirSync(folder, { recursive: true });
    const loop = join(place.folder, 'loop');
    symlinkSync(loop, loop);
    writeFileSync(join(index, `${owner}.seen`), `${join(loop, 'root')}\n`);
    const kept = join(vectors, owner, 'a.vectors');
    writeFileSync(kept, '');
    await run(place, 'redact', 'MarkMoved', '--yes');
    expect(vectorsIn(vectors)).toEqual([kept]);
  }));
