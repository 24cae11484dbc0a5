/**
 * Composition root: plain configuration values in, one App with every store and service out.
 */
import type { ConversationStore } from './stores/conversations.js';

export interface App {
  readonly conversations: ConversationStore;
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>;
}
