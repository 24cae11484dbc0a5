/**
 * Random damage of several kinds in the caches of both indexes and in the vectors: searches and the doctor
 * never fail, and after a repair no damaged file is left.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { indexCachePath, vectorsFolder } from '../../src/app/cache-paths.js';
import type { App } from '../../src/app.js';
import { VectorFiles } from '../../src/embeddings/vectors/vector-files.js';
import { ask } from '../search/search-place.js';
import { DAMAGES } from '../support/damages.js';
import { printedRandom } from '../support/rounds.js';
import { conversationText, type DoctorPlace, doctorPlace, ID, signal } from './place.js';

/** A store with fewer messages has no cache of its index. */
const MESSAGES = 2_100;
const PAGE = { filters: {}, limit: 9, offset: 0 };

async function searchAndExamine({ search, messageSearch, doctor }: App): Promise<void> {
  search.start();
  const { hits } = await ask({ search }, '"raven 7"', PAGE);
  expect(hits.map(({ conversationId }) => conversationId)).toEqual([ID]);
  const recalled = await messageSearch.search({ query: 'which raven', mode: 'hybrid', ...PAGE });
  expect(recalled.hits).toHaveLength(PAGE.limit);
  const { steps } = await doctor.examine({ signal });
  expect(steps.filter(({ error }) => error !== undefined)).toEqual([]);
}

async function fill(place: DoctorPlace): Promise<Map<string, Buffer>> {
  const contents = Array.from({ length: MESSAGES }, (_, n) => `raven ${n}`);
  place.write(`conversation-logs/${ID}/conversation.json`, conversationText(contents));
  await place.withApp(searchAndExamine);
  const folder = join(vectorsFolder(place.config), 'model');
  const row = { key: '0f'.repeat(16), scale: 0.01, values: new Int8Array(8).fill(7) };
  await new VectorFiles(folder, 'model').write([row]);
  const vectors = readdirSync(folder).map((name) => join(folder, name));
  const caches = (['search', 'recall'] as const).map(
    (name) => indexCachePath(place.config, name) ?? '',
  );
  const paths = [...caches, ...vectors];
  return new Map(paths.map((path) => [path, readFileSync(path)]));
}

describe('damage in the caches and vectors', () => {
  it.each(Object.keys(DAMAGES))('does not prevent a search and is repaired: %s', async (kind) => {
    const place = doctorPlace();
    const whole = await fill(place);
    const random = printedRandom(kind);
    const damage = () => {
      for (const [path, bytes] of whole) {
        writeFileSync(path, DAMAGES[kind]?.(bytes, random) ?? bytes);
      }
    };
    damage();
    await place.withApp(searchAndExamine);
    damage();
    await place.repair();
    const paths = (await place.findings()).map(({ path }) => path);
    for (const path of whole.keys()) expect(paths).not.toContain(path);
    await place.withApp(searchAndExamine);
  });
});
