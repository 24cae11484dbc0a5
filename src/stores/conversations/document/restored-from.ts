/**
 * `metadata.restoredFrom`: the conversation of which this one is a copy under a new id, because another
 * conversation has its id here (docs/FORMAT.md).
 */
import { isRecord, type JsonObject, textIn } from '../../../base/json-fields.js';
import { CONVERSATION_ID } from './conversation-id.js';

export interface RestoredFrom {
  readonly conversationId: string;
  /** The hash of the whole exported document. */
  readonly sha256: string;
}

/** `undefined` if the conversation with this metadata is no such copy. */
export function restoredFromIn(metadata: JsonObject | undefined): RestoredFrom | undefined {
  const origin = metadata?.['restoredFrom'];
  if (!isRecord(origin)) return undefined;
  const [conversationId, sha256] = [textIn(origin['conversationId']), textIn(origin['sha256'])];
  if (conversationId === undefined || sha256 === undefined) return undefined;
  return CONVERSATION_ID.test(conversationId) ? { conversationId, sha256 } : undefined;
}
