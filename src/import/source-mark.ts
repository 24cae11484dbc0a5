/**
 * What an import writes into `metadata.source` of a conversation (docs/FORMAT.md): where it came from,
 * and digests of what came. With them a later import decides whether the source has anything new, and
 * whether anything was changed here since, without keeping the import itself.
 */
import { sha256Hex, sha256Stream } from '../base/ids.js';
import { CONVERSATION_ID, type JsonObject } from '../stores/conversations/document/schema.js';
import type { PastFields, PastMessage } from '../stores/conversations/writing/append.js';
import { isObject, numberIn, textIn } from './reading/fields.js';

export interface SourceMark {
  readonly kind: string;
  /** Of the conversation in the source. */
  readonly id: string;
  /** Messages that came from there. */
  readonly count: number;
  /** Digest of those messages with all they have … */
  readonly hash: string;
  /** … and of only what was said in them. */
  readonly said: string;
  /** Digest of title, module, tags and pin as they came. */
  readonly head: string;
  /** `file` where the source has no times, so that those of its file count. */
  readonly times?: 'file';
  /** Only what is left of it at the source came in. */
  readonly isRemnant?: true;
  /** Id of the first message: a source that renames its conversation is known by it. */
  readonly first?: string;
}

const DIGITS = 16;
/** Characters. A stream costs more than the digest of a short text, and a long text memory. */
const HASHED_AT_ONCE = 64 * 1024;

/** `undefined` where the conversation was not imported, or the mark was changed. */
export function markIn(metadata: JsonObject | undefined): SourceMark | undefined {
  const source = metadata?.['source'];
  if (!isObject(source)) return undefined;
  const [kind, id] = [textIn(source['kind']), textIn(source['id'])];
  const count = numberIn(source['count']);
  if (kind === undefined || id === undefined || count === undefined) return undefined;
  const [hash = '', said = '', head = ''] = ['hash', 'said', 'head'].map((name) =>
    textIn(source[name]),
  );
  return {
    ...{ kind, id, count, hash, said, head },
    ...(source['times'] === 'file' && { times: 'file' }),
    ...(source['isRemnant'] === true && { isRemnant: true }),
    ...(typeof source['first'] === 'string' && { first: source['first'] }),
  };
}

/** Names a conversation of any source. */
export type SourceId = Pick<SourceMark, 'kind' | 'id'>;

type Digested = Pick<PastMessage, 'id' | 'role' | 'content' | 'createdAt' | 'metadata'>;

/** `times`: as in the mark; times that were made up do not count. */
export function digestOf(messages: readonly Digested[], times: SourceMark['times']): string {
  return digest(messages, ({ id, role, content, createdAt, metadata }) => [
    ...[id, role, content],
    ...[times === 'file' ? null : createdAt, metadata ?? null],
  ]);
}

export function contentDigestOf(messages: readonly Digested[]): string {
  return digest(messages, ({ id, role, content }) => [id, role, content]);
}

/** A title that was made from a message counts as none. */
export function headDigestOf(head: PastFields & { readonly titleFrom?: string }): string {
  const { title, titleFrom, module, tags, pinned } = head;
  const own = titleFrom === undefined ? title : undefined;
  return digest([head], () => [own ?? null, module ?? null, [...(tags ?? [])], pinned ?? false]);
}

function digest<T>(items: readonly T[], part: (item: T) => unknown): string {
  let text = '';
  let hash: ReturnType<typeof sha256Stream> | undefined;
  for (const item of items) {
    text += `${JSON.stringify(part(item))}\n`;
    if (text.length < HASHED_AT_ONCE) continue;
    hash ??= sha256Stream();
    hash.update(Buffer.from(text));
    text = '';
  }
  hash?.update(Buffer.from(text));
  return (hash?.hex() ?? sha256Hex(text)).slice(0, DIGITS);
}

/** Whether an id of the source can name a message of the store: long enough to be the only one. */
export const isOwnId = (id: string): boolean =>
  /^[A-Za-z0-9._:-]{16,128}$/.test(id) && !CONVERSATION_ID.test(id);
