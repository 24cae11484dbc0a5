/**
 * Which conversations a list is about: words in title and tags, module, dates, pin. Decided on heads
 * alone, without reading a file.
 */
import { isoTime } from '../../../base/clock.js';
import { sha256Hex } from '../../../base/ids.js';
import type { ConversationHead } from '../document/schema.js';

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

type Test = (head: ConversationHead) => boolean;

/** `undefined` where everything matches. Looks at nothing that was not asked for: there are many heads. */
export function predicateOf(query: ListQuery): Test | undefined {
  const { module, pinned, words, updatedFrom, updatedTo, createdFrom, createdTo } = query;
  const tests: Test[] = [];
  if (module !== undefined) tests.push((head) => head.module === module);
  if (pinned !== undefined) tests.push((head) => (head.pinned ?? false) === pinned);
  if (updatedFrom !== undefined) tests.push(timeTest('updatedAt', '>=', updatedFrom));
  if (updatedTo !== undefined) tests.push(timeTest('updatedAt', '<=', updatedTo));
  if (createdFrom !== undefined) tests.push(timeTest('createdAt', '>=', createdFrom));
  if (createdTo !== undefined) tests.push(timeTest('createdAt', '<=', createdTo));
  if (words !== undefined && words.trim() !== '') tests.push(wordsTest(words));
  const [only, ...others] = tests;
  return others.length === 0 ? only : (head) => tests.every((isMet) => isMet(head));
}

/** Every time in memory has one form, so they compare as texts. */
function timeTest(field: 'createdAt' | 'updatedAt', side: '>=' | '<=', epochMs: number): Test {
  const limit = isoTime(epochMs);
  return side === '>=' ? (head) => head[field] >= limit : (head) => head[field] <= limit;
}

function wordsTest(words: string): Test {
  const needles = wordsOf(words).map((word) => (UNSPACED.test(word) ? word : ` ${word}`));
  // Nothing that a title could be searched for, such as "???".
  if (needles.length === 0) return () => false;
  return (head) => {
    const text = textOf(head);
    return needles.every((needle) => text.includes(needle));
  };
}

/** Identifies a query in a cursor. */
export function fingerprintOf(query: ListQuery): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return sha256Hex(JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 8);
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
