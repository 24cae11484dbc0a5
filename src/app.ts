/**
 * Composition root: plain configuration values in, one App with every store and service out.
 */
import type { ResearchService } from './research/research-types.js';
import type { ConversationStore } from './stores/conversations.js';

export interface App {
  readonly conversations: ConversationStore;
  readonly research: ResearchService;
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>;
}
