/** Loads secretlint with its recommended rules. This is the only module that imports its packages. */
import type { lintSource } from '@secretlint/core';

export interface Secretlint {
  readonly lintSource: typeof lintSource;
  readonly rules: Parameters<typeof lintSource>[0]['options']['config']['rules'];
}

const PRESET = '@secretlint/secretlint-rule-preset-recommend';

export async function loadSecretlint(): Promise<Secretlint> {
  const core = await import('@secretlint/core');
  const { secretLintProfiler } = await import('@secretlint/profiler');
  // The profiler stores 56 marks for each text and searches all marks for each new one: 1 000 messages with a
  // link took 80 s (github.com/secretlint/secretlint/issues/1633). Version 13, which corrects this, needs
  // Node 22.
  secretLintProfiler.mark = () => undefined;
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend');
  return { lintSource: core.lintSource, rules: [{ id: PRESET, rule: creator }] };
}
