/**
 * Changes of a conversation's fields other than its messages. A change is applied under the lock to the
 * current fields, so that two changes at the same time do not undo each other.
 */

import type { JsonObject } from '../../../base/json-fields.js';
import { distinctTags } from '../../tags.js';
import type { HeadAmendment } from './document.js';
import { jsonCopy } from './json-copy.js';
import { requireReadable } from './parse-conversation.js';
import type { ConversationHead } from './schema.js';

/** Omitted fields are kept; `null` clears a field. */
export interface HeadChange {
  readonly title?: string | null;
  readonly module?: string | null;
  readonly pinned?: boolean;
  /** The complete new list. */
  readonly tags?: readonly string[];
  /** Merged key by key on the first level; `null` removes a key. */
  readonly metadata?: JsonObject;
}

export interface UpdateOptions {
  readonly mayDefer?: boolean;
  /** Gets the present fields under the lock. If it returns true, nothing is changed. */
  readonly unless?: ((head: ConversationHead) => boolean) | undefined;
}

/** The change that is not made if `unless` returns true. */
export const changeUnless = (change: HeadChange, unless: UpdateOptions['unless']) =>
  unless === undefined ? change : (head: ConversationHead) => (unless(head) ? {} : change);

/**
 * Returns only the fields that differ from `head`. VALIDATION_ERROR if a value cannot be stored in the file.
 */
export function amendmentOf(head: ConversationHead, change: HeadChange): HeadAmendment {
  requireReadable(change);
  const { title, module, pinned, tags, metadata } = change;
  const wanted: HeadAmendment = {
    ...(title !== undefined && { title: title ?? undefined, titleFrom: ownTitle(head, title) }),
    ...(module !== undefined && { module: module ?? undefined }),
    ...(pinned !== undefined && { pinned: pinned || undefined }),
    ...(tags !== undefined && { tags: orNothing(distinctTags(tags)) }),
    ...(metadata !== undefined && { metadata: merged(head.metadata ?? {}, jsonCopy(metadata)) }),
  };
  const differing = Object.entries(wanted).filter(
    ([name, value]) => !isSame(value, head[name as keyof ConversationHead]),
  );
  return Object.fromEntries(differing);
}

/**
 * Returns the change without the fields, and without the keys of `metadata`, that another writer has changed:
 * those in which `head` differs from `seen`, the head that the caller saw.
 */
export function withoutOthers(
  { metadata, ...fields }: HeadChange,
  seen: ConversationHead,
  head: ConversationHead,
): HeadChange {
  const same = (change: JsonObject, a: JsonObject, b: JsonObject) =>
    Object.fromEntries(Object.entries(change).filter(([name]) => isSame(a[name], b[name])));
  return {
    ...same(fields, withoutDerived(seen), withoutDerived(head)),
    ...(metadata && { metadata: same(metadata, seen.metadata ?? {}, head.metadata ?? {}) }),
  };
}

/** A title that was derived from a message is not a title that another writer has set. */
const withoutDerived = ({ title, ...head }: ConversationHead): JsonObject =>
  head.titleFrom === undefined && title !== undefined ? { ...head, title } : head;

/** `titleFrom` for a given title: none, unless the title is equal to the derived one. */
function ownTitle({ title: known, titleFrom }: ConversationHead, title: string | null) {
  return title === known ? titleFrom : undefined;
}

function merged(known: JsonObject, change: JsonObject): JsonObject | undefined {
  const all = Object.entries({ ...known, ...change });
  // Only a null in the change removes a key. A null that was stored before is kept.
  const remaining = all.filter(([key, value]) => value !== null || !Object.hasOwn(change, key));
  return remaining.length === 0 ? undefined : Object.fromEntries(remaining);
}

const orNothing = <T>(list: readonly T[]) => (list.length === 0 ? undefined : list);
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
