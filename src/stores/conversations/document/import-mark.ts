/**
 * What an import writes into `metadata.source` of a conversation (docs/FORMAT.md): its source, and digests
 * of what was imported. From the digests a later import detects whether the source has anything new, and
 * whether anything was changed here since, without a copy of the import.
 */

import { sha256Hex, sha256Stream } from '../../../base/ids.js';
import {
  isRecord,
  listIn,
  numberIn,
  objectIn,
  textIn,
  textsIn,
} from '../../../base/json-fields.js';
import { ownCopy } from '../../../base/text/own-copy.js';
import type { PastFields, PastMessage } from './apply-appends.js';
import { CONVERSATION_ID } from './conversation-id.js';
import type { Conversation, JsonObject } from './schema.js';

export interface SourceMark {
  readonly kind: string;
  /** The id of the conversation in the source. */
  readonly id: string;
  /** Number of messages that were imported. */
  readonly count: number;
  /** Digest of those messages with all their fields. */
  readonly hash: string;
  /** Digest of only their ids, roles and texts. */
  readonly said: string;
  /** Digest of title, module, tags and pin as they were imported. */
  readonly head: string;
  /** When the source changed it last, if the source says so. */
  readonly updatedAt?: string;
  /** `file` if the source has no times, so that the times of its file are used. */
  readonly times?: 'file';
  /** Set if only a part of the conversation was found in the source. */
  readonly isRemnant?: true;
  /** Id of the first message. It identifies the conversation if the source gives it another id. */
  readonly first?: string;
  /** Versions that this one replaced in an import with both. A later import with both changes nothing. */
  readonly replaced?: readonly string[];
  /** Set if the conversation has other messages than those of this mark, because the source showed another branch. */
  readonly kept?: KeptMessages;
  /** Ids of messages that were deleted here. An import never adds them again. */
  readonly deleted?: readonly string[];
}

/** The number of messages that imports wrote into a conversation, and their digest, as `count` and `hash`. */
type KeptMessages = Pick<SourceMark, 'count' | 'hash'>;

const MAX_REPLACED = 16;

/** The name of a version in `replaced`. */
export const versionOf = ({ hash, head }: SourceMark): string => `${hash}${head}`;

/** The value of `replaced` if the next version replaces this one, and the import has both. */
export const replacedWith = (mark: SourceMark): readonly string[] =>
  [...(mark.replaced ?? []), versionOf(mark)].slice(-MAX_REPLACED);

/** Whether the mark is of a version that replaced this one, in an import that had both. */
export const hasReplaced = ({ replaced = [] }: SourceMark, version: SourceMark): boolean =>
  replaced.includes(versionOf(version));

const DIGITS = 16;
/**
 * In characters. For a short text one call is cheaper than a stream; a long text as a whole would need
 * memory.
 */
const HASHED_AT_ONCE = 64 * 1024;

/** Returns `undefined` if the conversation was not imported, or the mark was changed. */
export function markIn(metadata: JsonObject | undefined): SourceMark | undefined {
  const source = metadata?.['source'];
  if (!isRecord(source)) return undefined;
  const [kind, id] = [textIn(source['kind']), textIn(source['id'])];
  const count = numberIn(source['count']);
  if (kind === undefined || id === undefined || count === undefined) return undefined;
  const [hash = '', said = '', head = ''] = ['hash', 'said', 'head'].map((name) =>
    textIn(source[name]),
  );
  return {
    kind,
    id,
    count,
    hash,
    said,
    head,
    ...(typeof source['updatedAt'] === 'string' && { updatedAt: source['updatedAt'] }),
    ...(source['times'] === 'file' && { times: 'file' }),
    ...(source['isRemnant'] === true && { isRemnant: true }),
    ...(typeof source['first'] === 'string' && { first: source['first'] }),
    ...(Array.isArray(source['replaced']) && { replaced: textsIn(source['replaced']) }),
    ...keptIn(objectIn(source['kept'])),
    ...(Array.isArray(source['deleted']) && { deleted: textsIn(source['deleted']) }),
  };
}

function keptIn({ count, hash }: JsonObject): Pick<SourceMark, 'kept'> {
  return typeof count === 'number' && typeof hash === 'string' ? { kept: { count, hash } } : {};
}

/** The marks of conversations that were merged into a conversation with this metadata. */
export const mergedMarksIn = (metadata: JsonObject | undefined): SourceMark[] =>
  listIn(metadata?.['mergedFrom']).flatMap((each) => markIn(objectIn(each)) ?? []);

/** The mark of the conversation itself, and those of the conversations that were merged into it. */
export const marksIn = (metadata: JsonObject | undefined): SourceMark[] => {
  const own = markIn(metadata);
  return [...(own === undefined ? [] : [own]), ...mergedMarksIn(metadata)];
};

/** The mark of this source, also if its conversation was merged into another one. */
export const markOfSource = (
  metadata: JsonObject | undefined,
  source: SourceId,
): SourceMark | undefined => marksIn(metadata).find((mark) => isSameSource(mark, source));

export const isSameSource = (a: SourceId | undefined, b: SourceId): boolean =>
  a?.kind === b.kind && a.id === b.id;

/** The metadata with this mark in the place of the mark of a conversation that was merged. */
export function withMergedMark(metadata: JsonObject, source: SourceMark): JsonObject {
  const mergedFrom = listIn(metadata['mergedFrom']).map((each) =>
    isSameSource(markIn(objectIn(each)), source) ? { ...objectIn(each), source } : each,
  );
  return { ...metadata, mergedFrom };
}

/** Whether the source of `now` is older than the one that was imported. */
export const isOlderMark = (mark: SourceMark, now: SourceMark): boolean =>
  mark.updatedAt !== undefined && now.updatedAt !== undefined && now.updatedAt < mark.updatedAt;

/** The mark of an older source that is imported after a newer one, of which the head stays. */
export const withNewerHead = (now: SourceMark, { head, updatedAt }: SourceMark): SourceMark => ({
  ...now,
  head,
  ...(updatedAt !== undefined && { updatedAt }),
});

/** Identifies a conversation of any source. */
export type SourceId = Pick<SourceMark, 'kind' | 'id'>;

/** Whether the conversation has only what imports wrote, unchanged. */
export function isAsImported(
  { messages }: { readonly messages: readonly Digested[] },
  { kept, times, ...mark }: SourceMark,
): boolean {
  const { count, hash } = kept ?? mark;
  return messages.length === count && digestOf(messages, times) === hash;
}

/** The mark of a conversation that was changed here: what the mark before says of its messages stays true. */
export function withKeptOf(
  { kept: _, ...mark }: SourceMark,
  { kept, count, hash }: SourceMark,
): SourceMark {
  const before = kept ?? { count, hash };
  const isShown = before.count === mark.count && before.hash === mark.hash;
  return isShown ? mark : { ...mark, kept: before };
}

/** The mark of a conversation into which imports wrote these messages and no others. */
export function withKept(
  { kept: _, ...mark }: SourceMark,
  messages: readonly Digested[],
): SourceMark {
  const hash = digestOf(messages, mark.times);
  const isShown = messages.length === mark.count && hash === mark.hash;
  return isShown ? mark : { ...mark, kept: { count: messages.length, hash } };
}

/** As many messages, from the first on, as imports wrote into the conversation. */
export function writtenIn<T>(messages: readonly T[], { kept, count }: SourceMark): readonly T[] {
  return messages.slice(0, kept?.count ?? count);
}

/** The metadata of a conversation after messages were deleted; `left`: the ids of the messages that it has now. */
export function metadataAfterDeletion(
  { metadata, messages }: Pick<Conversation, 'metadata' | 'messages'>,
  left: ReadonlySet<string>,
): JsonObject | undefined {
  const mark = markIn(metadata);
  return mark && metadataWith(metadata, markAfterDeletion(mark, messages, left));
}

/** The metadata of a conversation that gets the messages of an earlier version. */
export function metadataAfterRestore(
  current: Pick<Conversation, 'metadata' | 'messages'>,
  version: Pick<Conversation, 'metadata' | 'messages'>,
): JsonObject | undefined {
  const left = new Set(version.messages.map(({ id }) => id));
  const metadata = metadataAfterDeletion(current, left);
  const [mark, before] = [markIn(metadata), markIn(version.metadata)];
  return mark && before ? metadataWith(metadata, withKeptOf(mark, before)) : metadata;
}

/** The metadata with this mark. Fields of the mark that this version does not know stay. */
export function metadataWith(metadata: JsonObject | undefined, mark: SourceMark): JsonObject {
  const { kept: _, deleted: __, ...known } = objectIn(metadata?.['source']);
  return { ...metadata, source: { ...known, ...mark } };
}

/** The mark after messages were deleted here. `left`: the ids of the messages that the conversation has now. */
export function markAfterDeletion(
  mark: SourceMark,
  before: readonly Identified[],
  left: ReadonlySet<string>,
): SourceMark {
  const isLeft = ({ id }: Identified) => left.has(id);
  const gone = before.filter((message) => !isLeft(message)).map(({ id }) => id);
  const all = new Set([...(mark.deleted ?? []), ...gone]);
  const { deleted: _, ...others } = mark;
  const deleted = [...all].filter((id) => !left.has(id));
  const now = deleted.length === 0 ? others : { ...others, deleted };
  const written = writtenIn(before, mark);
  return isAsImported({ messages: written }, mark) ? withKept(now, written.filter(isLeft)) : now;
}

type Digested = Pick<PastMessage, 'id' | 'role' | 'content' | 'createdAt' | 'metadata'>;

/** `times` as in the mark: times that come from the file are not part of the digest. */
export function digestOf(messages: readonly Digested[], times: SourceMark['times']): string {
  return digestsOf(messages, times).hash;
}

/** `said` of the mark: the digest of ids, roles and texts, without times and metadata. */
export function contentDigestOf(messages: readonly Digested[]): string {
  const said = new Digest();
  for (const message of messages) said.add(contentOf(message));
  return said.end();
}

/** Both digests of a mark. Each text is converted to JSON only once. */
export function digestsOf(
  messages: readonly Digested[],
  times: SourceMark['times'],
): Pick<SourceMark, 'hash' | 'said'> {
  const [hash, said] = [new Digest(), new Digest()];
  for (const message of messages) {
    const { createdAt, metadata } = message;
    const content = contentOf(message);
    const others = JSON.stringify([times === 'file' ? null : createdAt, metadata ?? null]);
    said.add(content);
    hash.add(`${content.slice(0, -1)},${others.slice(1)}`); // one list of all five values
  }
  return { hash: hash.end(), said: said.end() };
}

const contentOf = ({ id, role, content }: Digested) => JSON.stringify([id, role, content]);

/** A title that was derived from a message is treated as no title. */
export function headDigestOf(head: PastFields & { readonly titleFrom?: string }): string {
  const { title, titleFrom, module, tags, pinned } = head;
  const own = titleFrom === undefined ? title : undefined;
  const digest = new Digest();
  digest.add(JSON.stringify([own ?? null, module ?? null, tags ?? [], pinned ?? false]));
  return digest.end();
}

/** Hashes JSON texts, each of them as a line. */
class Digest {
  #text = '';
  #stream: ReturnType<typeof sha256Stream> | undefined;

  add(json: string): void {
    this.#text += `${json}\n`;
    if (this.#text.length < HASHED_AT_ONCE) return;
    this.#stream ??= sha256Stream();
    this.#stream.update(Buffer.from(this.#text));
    this.#text = '';
  }

  end(): string {
    this.#stream?.update(Buffer.from(this.#text));
    return ownCopy((this.#stream?.hex() ?? sha256Hex(this.#text)).slice(0, DIGITS));
  }
}

export type Identified = Digested & { readonly id: string };

/** Whether an id of the source can be a message id of the store. It must be long enough to be unique. */
export const isOwnId = (id: string): boolean =>
  /^[A-Za-z0-9._:-]{16,128}$/.test(id) && !CONVERSATION_ID.test(id);
