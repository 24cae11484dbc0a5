/**
 * Changes of what is known about a conversation besides its messages. A change is small and is
 * applied under the lock to what is there then, so two that meet do not undo each other.
 */
import { asStored } from './as-stored.js';
import type { HeadAmendment } from './document.js';
import { requireReadable } from './read.js';
import type { ConversationHead, JsonObject } from './schema.js';

/** Omitted fields are kept; `null` clears a field. */
export interface HeadChange {
  readonly title?: string | null;
  readonly module?: string | null;
  readonly pinned?: boolean;
  /** All of them: replaces those that were there. */
  readonly tags?: readonly string[];
  /** Merged key by key on the first level; `null` removes a key. */
  readonly metadata?: JsonObject;
}

/** Only what differs from `head`. VALIDATION_ERROR: what a file cannot hold. */
export function amendmentOf(head: ConversationHead, change: HeadChange): HeadAmendment {
  requireReadable(change);
  const { title, module, pinned, tags, metadata } = change;
  const wanted: HeadAmendment = {
    ...(title !== undefined && { title: title ?? undefined, titleFrom: ownTitle(head, title) }),
    ...(module !== undefined && { module: module ?? undefined }),
    ...(pinned !== undefined && { pinned: pinned || undefined }),
    ...(tags !== undefined && { tags: orNothing([...new Set(tags)]) }),
    ...(metadata !== undefined && { metadata: merged(head.metadata ?? {}, asStored(metadata)) }),
  };
  const differing = Object.entries(wanted).filter(
    ([name, value]) => !isSame(value, head[name as keyof ConversationHead]),
  );
  return Object.fromEntries(differing);
}

/** A title that is given is no longer made from a message, unless it is the very same. */
function ownTitle({ title: known, titleFrom }: ConversationHead, title: string | null) {
  return title === known ? titleFrom : undefined;
}

function merged(known: JsonObject, change: JsonObject): JsonObject | undefined {
  const all = Object.entries({ ...known, ...change });
  // A null that was stored before stays: only the change can mean removal.
  const kept = all.filter(([key, value]) => value !== null || !Object.hasOwn(change, key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

const orNothing = <T>(list: readonly T[]) => (list.length === 0 ? undefined : list);
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
