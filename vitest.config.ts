import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { memoryFolder } from './test/support/memory-folder.js';

/** Those that start processes or a browser take longest, and would be waited for alone at the end. */
const LONG = /test\/(crash|e2e|encryption|files|fts|maintenance|page|search|security|soak)\//;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [long, short] = [true, false].map((isLong) =>
      sorted.filter(({ moduleId }) => LONG.test(moduleId) === isLong),
    );
    return [...(long ?? []), ...(short ?? [])];
  }
}

/**
 * These tests leave nothing behind in their process, so their files share one: imports took a third of their
 * time. `fts` is not in the list, because its tests compare the time of queries with the time of indexing, and
 * indexing is faster in a process that has run other tests. None of them is about the disk, so they write into
 * memory. Those of locks, of the watcher, of crashes and of power losses are in the other list.
 */
const IN_SHARED_PROCESS =
  'analytics,api,base,cli,config,context,docs,doctor,e2e,encryption,exchange,git,import,page,' +
  'privacy,providers,recall,research,resources,search,server,stores,tools';

/** Against what hangs, not what is slow: the slowest test has some times what it takes. */
const LIMITS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000, interval: 50 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/build-once.ts', 'test/support/compile-children.ts'],
    reporters: ['default', './test/count-reporter.ts'],
    pool: 'forks',
    // More than cores: some wait, for a disk, a lock or the end of a process.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'shared-process',
          include: [`test/{${IN_SHARED_PROCESS}}/**/*.test.ts`],
          isolate: false,
          env: { TMPDIR: memoryFolder() },
          ...LIMITS,
        },
      },
      {
        test: {
          name: 'own-process',
          // Not by `exclude`, which would replace the --exclude of the command line (.ci/run).
          include: [
            'test/*.test.ts',
            `test/!(${IN_SHARED_PROCESS.replaceAll(',', '|')})/**/*.test.ts`,
          ],
          ...LIMITS,
        },
      },
    ],
  },
});
