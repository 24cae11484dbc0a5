/** A watch: sessions come in as they grow, and what did not change is not read again. */
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Importer } from '../../src/import/importer.js';
import { watchImports } from '../../src/import/watch.js';
import { folderWith, lines, openImportBench, said } from './bench.js';

const line = (uuid: string, parentUuid: string | null, content: string) => ({
  ...{ type: 'user', uuid, parentUuid, sessionId: 'session-1', message: { role: 'user', content } },
  timestamp: '2026-01-02T10:00:00.000Z',
});

it('takes in what is added to a session, and keeps it when the session is deleted', async () => {
  const bench = await openImportBench();
  const folder = folderWith({ 'projects/x/session-1.jsonl': lines(line('u1', null, 'one')) });
  const file = join(folder, 'projects/x/session-1.jsonl');
  const machine = { home: folder, programs: folder, variable: () => undefined };
  const importer = new Importer({ ...bench.stores, machine, activity: 'short' });
  const stop = new AbortController();
  const seen: string[] = [];
  const errors: string[] = [];
  let rounds = 0;
  await watchImports(importer, {
    paths: async () => [folder],
    everyMs: 1,
    signal: stop.signal,
    onError: ({ message }) => void errors.push(message),
    onRound: ({ added, updated, unchanged }) => {
      rounds += 1;
      seen.push(`${added} ${updated} ${unchanged}`);
      if (rounds === 2) appendFileSync(file, lines(line('u2', 'u1', 'two')));
      if (rounds === 3) {
        rmSync(file);
        appendFileSync(
          join(folder, 'projects/x/other.jsonl'),
          lines({ ...line('v1', null, 'new'), sessionId: 'session-2' }),
        );
      }
      if (rounds === 4) stop.abort();
    },
  });
  expect(errors).toEqual([]);
  expect(seen.slice(0, 3)).toEqual(['1 0 0', '0 0 0', '0 1 0']);
  expect(said(bench.bySource('session-1'))).toEqual(['user: one', 'user: two']);
});
