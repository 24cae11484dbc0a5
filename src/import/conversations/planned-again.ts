/**
 * Predicts what an import does with a conversation that is in it more than once, for a dry run. A dry run keeps no
 * texts, and of each message only a hash of its id, because an import can have millions of messages.
 */
import { versionOf } from '../../stores/conversations/document/import-mark.js';
import type { Planned } from './already-imported.js';
import type { Candidate } from './planned-conversation.js';

export const plannedOf = ({ mark, fields, shown }: Candidate): Planned => ({
  count: mark.count,
  version: versionOf(mark),
  updatedAt: fields.updatedAt,
  ids: hashesOf(shown.map(({ id }) => id)),
});

export interface PlannedAgain {
  readonly outcome: 'added' | 'updated' | 'unchanged';
  /** The number of new messages. */
  readonly messages: number;
  /** What the dry run would have stored then. */
  readonly planned: Planned;
}

/** `planned`: what the dry run would have stored before. */
export function plannedAgain(planned: Planned, candidate: Candidate): PlannedAgain {
  const { ids = NONE, branched = NONE, updatedAt = '' } = planned;
  const now = plannedOf(candidate);
  const unchanged: PlannedAgain = { outcome: 'unchanged', messages: 0, planned };
  if (now.version === planned.version) return unchanged;
  const inSource = new Set(hashesOf(candidate.sourceIds()));
  if (ids.every((id) => inSource.has(id))) {
    const messages = now.count - planned.count;
    return messages < 0
      ? unchanged
      : { outcome: 'updated', messages, planned: { ...now, branched } };
  }
  const stored = new Set([...ids, ...branched]);
  const fresh = [...(now.ids ?? [])].filter((id) => !stored.has(id));
  // An id that was made from a text is another one after each edit, so the source may only be older (reconcile.ts).
  const mayBeOlder =
    !candidate.hasIds && candidate.fields.updatedAt < updatedAt && now.count <= planned.count;
  if (fresh.length === 0 || mayBeOlder) return unchanged;
  const more = Uint32Array.from([...branched, ...fresh]);
  return { outcome: 'added', messages: fresh.length, planned: { ...planned, branched: more } };
}

const NONE = new Uint32Array();

const hashesOf = (ids: readonly string[]): Uint32Array => Uint32Array.from(ids, hashOf);

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
}
