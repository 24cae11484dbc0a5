/** Loads secretlint with its recommended rules; the only module that names its packages. */
import type { lintSource } from '@secretlint/core';

export interface SecretLintCoreDescriptor {
  readonly lintSource: typeof lintSource;
  readonly rules: Parameters<typeof lintSource>[0]['options']['config']['rules'];
}

const PRESET = '@secretlint/secretlint-rule-preset-recommend';

export async function loadSecretlint(): Promise<SecretLintCoreDescriptor> {
  const core = await import('@secretlint/core');
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend');
  return { lintSource: core.lintSource, rules: [{ id: PRESET, rule: creator }] };
}
