/** The conversations of a cache, as the checks of the caches read them. Changes nothing. */
import type { Codec } from '../../files/sealing/conversation-codec.js';
import { ConversationStore } from '../../stores/conversations/conversations.js';

/** The conversations from which a cache is built. */
export interface CachedFiles {
  readonly logsFolder: string;
  /** Opens their texts. Without it, each text of an encrypted store would differ from the cache. */
  readonly codec: Codec;
}

/** A store that only reads these conversations. */
export const storeOf = (files: CachedFiles): ConversationStore =>
  new ConversationStore({
    ...files,
    fsync: false,
    maxMessages: Number.POSITIVE_INFINITY,
    isReading: true,
  });
