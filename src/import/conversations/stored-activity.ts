/**
 * Keeps stored tool calls, their results and thinking if an import reads less of them, for example with
 * `--activity short` after `--activity all`. No file access.
 */
import { groupedBy } from '../../base/arrays/grouped-by.js';
import { definedOrNothing, objectIn, objectsIn, textIn } from '../../base/json-fields.js';
import {
  digestsOf,
  isAsImported,
  type SourceMark,
} from '../../stores/conversations/document/import-mark.js';
import type { Conversation, JsonObject } from '../../stores/conversations/document/schema.js';
import { isCut, shortened } from '../reading/messages/activity.js';
import type { Activity } from '../source-interface.js';
import type { Candidate, CandidateMessage } from './planned-conversation.js';
import { textlessBranchOf } from './textless-branch.js';

type Stored = Conversation['messages'][number];

/** A tool call, or the thinking, of a message. */
interface Part {
  readonly messageId: string;
  /** As in the metadata. Thinking is the only field of its part. */
  readonly fields: JsonObject;
}

const TEXTS = ['input', 'result', 'thinking'] as const;
/** One of two equal texts may be cut, so only their beginnings are compared. */
const COMPARED_LENGTH = 200;

/** Stored parts by the id of their message. */
type PartsLeft = Map<string, readonly Part[]>;

interface WithActivity {
  readonly messages: readonly CandidateMessage[];
  /** Whether stored messages that are not among these have more than the import would store. */
  readonly leavesMore: boolean;
}

/** The candidate with the stored activity of its messages, and with the digests of that. */
export function candidateWithActivity(
  candidate: Candidate,
  current: Conversation,
  mark: SourceMark,
  activity: Activity,
): { readonly candidate: Candidate; readonly leavesMore: boolean } {
  const { messages: given, left } = withActivity(candidate.messages, current.messages, activity);
  // With `none`, messages without text are not read. With another setting, a message that the source has, but that is
  // not in the candidate, is in another branch.
  const isUnread = (id: string) => activity === 'none' || !candidate.isInSource(id);
  const moved = textlessBranchOf(current, candidate)?.message.id;
  if (moved !== undefined) left.delete(moved);
  const { messages, leavesMore } = withEmptyMessages(given, current.messages, left, isUnread);
  if (messages === candidate.messages) return { candidate, leavesMore };
  const { hash, said } = digestsOf(messages, candidate.mark.times);
  // If something was changed here, its digest must not be stored as the digest of an import.
  const isImported = hash === mark.hash || isAsImported(current, mark);
  const [first] = messages;
  const source: SourceMark = {
    ...candidate.mark,
    count: messages.length,
    ...(isImported && { hash }),
    said,
    ...(first && { first: first.id }),
  };
  const { fields } = candidate;
  const ids = new Set(messages.map(({ id }) => id));
  const changed = {
    ...candidate,
    mark: source,
    fields: { ...fields, metadata: { ...fields.metadata, source } },
    messages,
    shown: messages,
    isInSource: (messageId: string) => ids.has(messageId) || candidate.isInSource(messageId),
  };
  return { candidate: changed, leavesMore };
}

/**
 * The given messages with their stored activity; the given list itself if nothing is stored that the import would
 * not store. `left`: what is stored and in none of the given messages, by the id of its message.
 */
export function withActivity(
  given: readonly CandidateMessage[],
  stored: readonly Stored[],
  activity: Activity,
): { readonly messages: readonly CandidateMessage[]; readonly left: PartsLeft } {
  const before = stored.flatMap(partsOf);
  const isMore = ({ fields }: Part) => hasMore(fields, activity);
  if (!before.some(isMore)) return { messages: given, left: new Map() };
  const now = given.map(partsOf);
  // Not the parts of other answers, which can have equal calls.
  const ids = new Set(given.map(({ id }) => id));
  const empty = new Set(stored.filter(({ content }) => content === '').map(({ id }) => id));
  const open = before.filter(({ messageId: id }) => ids.has(id) || empty.has(id));
  const found = samePartsOf(now.flat(), open);
  const taken = new Set(found.values());
  const rest = before.filter((part) => isMore(part) && !taken.has(part));
  const left = groupedBy(rest, ({ messageId }) => messageId);
  const messages = given.map((message, index) => {
    const parts = (now[index] ?? []).map((part) => merged(part.fields, found.get(part)?.fields));
    const all = [...parts, ...fieldsOf(left.get(message.id))];
    return all.length === 0 ? message : withParts(message, all);
  });
  return { messages, left };
}

function partsOf({ id, metadata }: Pick<Stored, 'id' | 'metadata'>): Part[] {
  const { tools, thinking } = objectIn(metadata);
  const thoughts = textIn(thinking) === undefined ? [] : [{ thinking }];
  return [...objectsIn(tools), ...thoughts].map((fields) => ({ messageId: id, fields }));
}

const fieldsOf = (parts: readonly Part[] = []): JsonObject[] => parts.map(({ fields }) => fields);

/** Whether an import with this setting would not store all of it. */
function hasMore(fields: JsonObject, activity: Activity): boolean {
  if (activity === 'none') return true;
  return TEXTS.some((name) => {
    const text = textIn(fields[name]) ?? '';
    return shortened(text, activity) !== text;
  });
}

/**
 * The stored part for each part of the source: first those of the same message, then the others. A source adds
 * the calls at the end of a turn to the next answer as soon as it has one.
 */
function samePartsOf(now: readonly Part[], stored: readonly Part[]): Map<Part, Part> {
  const found = new Map<Part, Part>();
  const taken = new Set<Part>();
  for (const isMoved of [false, true]) {
    const keyOf = ({ messageId, fields }: Part) =>
      JSON.stringify([
        isMoved || messageId,
        fields['name'],
        startOf(fields['input']),
        'thinking' in fields && (!isMoved || startOf(fields['thinking'])),
      ]);
    const byKey = groupedBy(
      stored.filter((part) => !taken.has(part)),
      keyOf,
    );
    for (const part of now.filter((each) => !found.has(each))) {
      const same = byKey.get(keyOf(part)) ?? [];
      const at = isMoved ? same.findIndex((each) => isSameResult(each, part)) : 0;
      const [other] = at === -1 ? [] : same.splice(at, 1);
      if (other === undefined) continue;
      found.set(part, other);
      taken.add(other);
    }
  }
  return found;
}

const startOf = (value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, COMPARED_LENGTH) : value;

/** The result may have come later. */
function isSameResult({ fields: stored }: Part, { fields: now }: Part): boolean {
  const [before, after] = [textIn(stored['result']), textIn(now['result'])];
  return before === undefined || after === undefined || startOf(before) === startOf(after);
}

function merged(now: JsonObject, stored: JsonObject | undefined): JsonObject {
  if (stored === undefined) return now;
  const texts = TEXTS.filter((name) => isLess(textIn(now[name]), textIn(stored[name])));
  const kept = Object.fromEntries(texts.map((name) => [name, stored[name]]));
  return { ...stored, ...now, ...kept };
}

/** The thinking of a message is also less if its end belongs to the next answer now. */
function isLess(now: string | undefined, stored: string | undefined): boolean {
  if (stored === undefined) return false;
  if (now === undefined) return true;
  return now.length < stored.length && (isCut(now) || stored.startsWith(now));
}

function withParts<T extends { readonly metadata?: JsonObject }>(
  message: T,
  parts: readonly JsonObject[],
): T {
  const { tools: _tools, thinking: _thinking, ...others } = message.metadata ?? {};
  const tools = parts.filter((part) => !('thinking' in part));
  const metadata = definedOrNothing({
    ...others,
    tools: tools.length === 0 ? undefined : tools,
    thinking: parts.find((part) => 'thinking' in part)?.['thinking'],
  });
  const { metadata: _metadata, ...rest } = message;
  return { ...rest, ...(metadata && { metadata }) } as T;
}

/** Adds the stored messages without text that were not read, if the source shows the messages beside them. */
function withEmptyMessages(
  messages: readonly CandidateMessage[],
  stored: readonly Stored[],
  left: PartsLeft,
  isUnread: (messageId: string) => boolean,
): WithActivity {
  const ids = new Set(messages.map(({ id }) => id));
  const isBeside = (at: number) => stored[at] === undefined || ids.has(stored[at].id);
  const added = new Map<string | undefined, CandidateMessage>();
  let leavesMore = false;
  for (const [at, message] of stored.entries()) {
    const parts = left.get(message.id);
    if (parts === undefined || ids.has(message.id)) continue;
    const isShown = message.content === '' && isUnread(message.id);
    if (isShown && isBeside(at - 1) && isBeside(at + 1))
      added.set(stored[at - 1]?.id, withParts(message, fieldsOf(parts)));
    else leavesMore = true;
  }
  if (added.size === 0) return { messages, leavesMore };
  const after = (id?: string) => added.get(id) ?? [];
  const all = messages.flatMap((message) => [message, after(message.id)].flat());
  return { messages: [after(), all].flat(), leavesMore };
}
