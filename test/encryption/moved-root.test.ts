/** A store whose folder was moved left the caches of its earlier path, which have its words. */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Place, withPlace } from '../e2e/harness.js';
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

it('are removed when a text is redacted', () =>
  withPlace(async (place) => {
    const now = await moved(place);
    expect(filesWith('MarkMoved', [cacheOf(place)])).not.toEqual([]);
    await run(now, 'redact', 'MarkMoved', '--yes');
    expect(filesWith('MarkMoved', [now.root, cacheOf(place)])).toEqual([]);
    expect(readdirSync(join(now.root, 'conversation-logs'))).toContain('20250124-1706102400123');
  }));
