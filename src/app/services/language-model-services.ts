/** Opens and closes summaries and embeddings together, because both use language models. */
import type { GracePeriod } from '../../base/async/grace-period.js';
import type { Clock } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import type { Config } from '../../config/config.js';
import type { SecretMasker } from '../../privacy/secret-masker.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { openEmbeddings } from './embeddings.js';
import { openSummaries } from './summaries.js';

interface LanguageOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly masker: SecretMasker;
  readonly grace: GracePeriod;
  /** See `AppOptions`. */
  readonly loadsVectors?: boolean;
}

export function openLanguageParts(
  config: Config,
  conversations: ConversationStore,
  { clock, log, masker, grace, loadsVectors = false }: LanguageOptions,
) {
  const summarising = openSummaries(config, conversations, { clock, log, masker, grace });
  const embeddings = openEmbeddings(config, conversations, { clock, log, masker, loadsVectors });
  return {
    services: { summaries: summarising.summaries, languageModels: summarising, embeddings },
    start() {
      summarising.start();
      embeddings.start();
    },
    async close() {
      await summarising.close();
      await embeddings.close();
    },
  };
}
