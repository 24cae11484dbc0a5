/** Runs a watch for some rounds, for tests that change files between them. */
import { expect } from 'vitest';
import type { ImportReport } from '../../src/import/import-types.js';
import { Importer } from '../../src/import/importer.js';
import { watchImports } from '../../src/import/tool-logs/watch-rounds.js';
import type { openImportBench } from './bench.js';

/** Runs `count` rounds and returns their reports. `between` runs after each. */
export async function watched(
  bench: Awaited<ReturnType<typeof openImportBench>>,
  path: string,
  count: number,
  between: (round: number) => void,
): Promise<ImportReport[]> {
  const machine = { home: path, programs: path, variable: () => undefined };
  const options = { machine, activity: 'short', watched: [], folders: [], excluded: [] } as const;
  const stop = new AbortController();
  const reports: ImportReport[] = [];
  const errors: Error[] = [];
  await watchImports(new Importer({ ...bench.stores, ...options }), {
    paths: async () => [path],
    areFound: false,
    everyMs: 1,
    signal: stop.signal,
    onError: (error) => void errors.push(error),
    onRound(report) {
      reports.push(report);
      between(reports.length);
      if (reports.length === count) stop.abort();
    },
  });
  expect(errors).toEqual([]);
  return reports;
}
