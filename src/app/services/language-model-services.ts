/** Opens and closes summaries and embeddings together, because both use language models. */
import type { Config } from '../../config/config.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { closeAll } from '../close-all.js';
import { openEmbeddings } from './embeddings.js';
import { openSummaries, type SummaryOptions } from './summaries.js';

interface LanguageOptions extends SummaryOptions {
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
    close: () => closeAll([summarising, embeddings]),
  };
}
