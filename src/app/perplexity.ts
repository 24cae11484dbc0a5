/** Makes the Perplexity client from the configuration. */
import type { Clock } from '../base/clock.js';
import type { Config } from '../config/config.js';
import { createPerplexity } from '../providers/perplexity.js';
import type { Perplexity } from '../providers/perplexity-types.js';

/** `undefined` without a key. */
export function perplexityOf({ perplexity }: Config, clock: Clock): Perplexity | undefined {
  const { apiKey, backend, baseUrl, model, searchPreset, researchPreset, timeoutMs } = perplexity;
  if (apiKey === undefined) return undefined;
  return createPerplexity({
    apiKey,
    backend,
    baseUrl,
    clock,
    presets: { search: searchPreset, deepResearch: researchPreset },
    askTimeoutMs: timeoutMs,
    ...(model === undefined ? {} : { models: { search: model, deepResearch: model } }),
  });
}
