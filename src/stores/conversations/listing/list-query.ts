/**
 * Which conversations a list is about: words in title and tags, module, dates, pin. Decided on heads
 * alone, without reading a file.
 */
import { isoTime } from '../../../base/clock.js';
import { sha256Hex } from '../../../base/ids.js';
import type { ConversationHead } from '../schema.js';

export interface ListQuery {
  /** Every word must begin a word of the title or a tag; in any order and case. */
  readonly words?: string;
  readonly module?: string;
  readonly pinned?: boolean;
  /** Epoch milliseconds, both ends included. */
  readonly updatedFrom?: number;
  readonly updatedTo?: number;
  readonly createdFrom?: number;
  readonly createdTo?: number;
}

/** Scripts that put no spaces between words: found anywhere in the text. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/u;

/** A head is never changed, only replaced, so its words are worth keeping. */
const texts = new WeakMap<ConversationHead, string>();

/** `undefined` where everything matches. */
export function predicateOf(query: ListQuery): ((head: ConversationHead) => boolean) | undefined {
  const { module, pinned, words = '' } = query;
  const wanted = wordsOf(words);
  const updated = spanOf(query.updatedFrom, query.updatedTo);
  const created = spanOf(query.createdFrom, query.createdTo);
  // Words were given, but nothing that a title could be searched for, such as "???".
  const findsNothing = wanted.length === 0 && words.trim() !== '';
  if (Object.values(query).every((value) => value === undefined)) return undefined;
  return (head) =>
    !findsNothing &&
    (module === undefined || head.module === module) &&
    (pinned === undefined || (head.pinned ?? false) === pinned) &&
    updated(head.updatedAt) &&
    created(head.createdAt) &&
    wanted.every((word) => hasWord(textOf(head), word));
}

/** Tells one query from another in a cursor. */
export function fingerprintOf(query: ListQuery): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return sha256Hex(JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 8);
}

/** Every time in memory has one form, so they compare as texts. */
function spanOf(from: number | undefined, to: number | undefined): (time: string) => boolean {
  const first = from === undefined ? '' : isoTime(from);
  const last = to === undefined ? '~' : isoTime(to);
  return (time) => time >= first && time <= last;
}

function hasWord(text: string, word: string): boolean {
  return UNSPACED.test(word) ? text.includes(word) : text.includes(` ${word}`);
}

/** The words, each after one space. */
function textOf(head: ConversationHead): string {
  let text = texts.get(head);
  if (text === undefined) {
    text = wordsOf([head.title ?? '', ...(head.tags ?? [])].join(' '))
      .map((word) => ` ${word}`)
      .join('');
    texts.set(head, text);
  }
  return text;
}

/** Without case, accents and the forms of one character. */
function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.split(SEPARATORS).filter((word) => word !== '');
}
