/** Loads secretlint with its recommended rules; the only module that names its packages. */
import type { lintSource } from '@secretlint/core';

export interface SecretLintCoreDescriptor {
  readonly lintSource: typeof lintSource;
  readonly rules: Parameters<typeof lintSource>[0]['options']['config']['rules'];
}

const PRESET = '@secretlint/secretlint-rule-preset-recommend';

export async function loadSecretlint(): Promise<SecretLintCoreDescriptor> {
  const core = await import('@secretlint/core');
  const { secretLintProfiler } = await import('@secretlint/profiler');
  // It records 56 marks a text for ever and searches them all at each: 1 000 messages with a link took
  // 80 s (github.com/secretlint/secretlint/issues/1633). Version 13, which corrects it, needs Node 22.
  secretLintProfiler.mark = () => undefined;
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend');
  return { lintSource: core.lintSource, rules: [{ id: PRESET, rule: creator }] };
}
