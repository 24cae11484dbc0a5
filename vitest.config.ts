import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build-once.ts', 'test/support/compile-children.ts'],
    reporters: ['default', './test/count-reporter.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Against what hangs, not what is slow: the slowest test has ten times what it takes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
