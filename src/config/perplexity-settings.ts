/** The Perplexity part of the configuration. */
import type { BACKENDS, SettingValues } from './settings.js';

export interface PerplexityConfig {
  readonly apiKey: string | undefined;
  /** Whether `tools/list` contains the tools that need the key. */
  readonly isListed: boolean;
  readonly baseUrl: string;
  readonly backend: (typeof BACKENDS)[number];
  readonly model: string | undefined;
  readonly searchPreset: string;
  readonly researchPreset: string;
  readonly waitMs: number;
  readonly timeoutMs: number;
}

export function perplexityConfig(values: SettingValues): PerplexityConfig {
  return Object.freeze({
    apiKey: values.perplexityApiKey,
    isListed: values.perplexityApiKey !== undefined || values.perplexityTools === 'always',
    baseUrl: values.perplexityBaseUrl.replace(/\/+$/, ''),
    backend: values.perplexityBackend,
    model: values.perplexityModel,
    searchPreset: values.perplexitySearchPreset,
    researchPreset: values.perplexityResearchPreset,
    waitMs: values.perplexityWaitMs,
    timeoutMs: values.perplexityTimeoutMs,
  });
}
