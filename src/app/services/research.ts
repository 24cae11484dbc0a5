/** Opens research, with a Perplexity client if there is a key. */
import type { Clock } from '../../base/clock.js';
import type { Config } from '../../config/config.js';
import { createPerplexity } from '../../providers/perplexity.js';
import type { Perplexity } from '../../providers/perplexity-types.js';
import { Research } from '../../research/research.js';
import type { ResearchDeps } from '../../research/research-types.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { ResearchJobFiles } from '../../stores/research-jobs/research-job-files.js';
import type { Guards } from '../stores.js';

export function researchOf(
  config: Config,
  store: ConversationStore,
  { requireRoom, masker }: Omit<Guards, 'queue'>,
  { clock, log, grace }: Pick<ResearchDeps, 'clock' | 'log' | 'grace'>,
) {
  const { logsDir: logsFolder, fsync, maxMessages, perplexity } = config;
  return new Research({
    store,
    jobs: new ResearchJobFiles({ logsFolder, fsync, conversations: store, masker, log }),
    perplexity: perplexityOf(config, clock),
    clock,
    log,
    maxMessages,
    masker,
    requireRoom,
    grace,
    timing: { waitMs: perplexity.waitMs },
  });
}

/** `undefined` without a key. */
function perplexityOf({ perplexity }: Config, clock: Clock): Perplexity | undefined {
  const { apiKey, backend, baseUrl, model, searchPreset, researchPreset, timeoutMs } = perplexity;
  if (apiKey === undefined) return undefined;
  return createPerplexity({
    apiKey,
    backend,
    baseUrl,
    clock,
    presets: { search: searchPreset, deepResearch: researchPreset },
    askTimeoutMs: timeoutMs,
    model,
  });
}
