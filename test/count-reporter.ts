/**
 * Ends a test run with one plain line that counts tests: `N passed, N failed`.
 * A file that cannot be loaded and an error outside any test count as failed.
 */
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const states = modules.flatMap((module) => [
      ...(module.errors().length > 0 ? ['failed'] : []),
      ...[...module.children.allTests()].map((test) => test.result().state),
    ]);
    const count = (state: string) => states.filter((other) => other === state).length;
    const failed = count('failed') + unhandledErrors.length;
    console.log(`\n${count('passed')} passed, ${failed} failed`);
  }
}
