/**
 * Ends a test run with one plain line that counts tests: `N passed, N failed`.
 * A file that cannot be loaded and an error outside any test count as failed.
 */
import type { Reporter, SerializedError, TestModule, TestRunEndReason } from 'vitest/node';

export default class CountReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const states = modules.flatMap((module) => [
      ...(module.errors().length > 0 ? ['failed'] : []),
      ...[...module.children.allTests()].map((test) => test.result().state),
    ]);
    const count = (state: string) => states.filter((other) => other === state).length;
    const counted = count('failed') + unhandledErrors.length;
    // A run that could not begin has no failed test, and must not look like a success.
    const hasNotPassed = states.length === 0 || reason !== 'passed';
    const failed = hasNotPassed ? Math.max(1, counted) : counted;
    console.log(`\n${count('passed')} passed, ${failed} failed`);
  }
}
