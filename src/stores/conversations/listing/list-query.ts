/** The filters of a list of conversations. They need only the heads, so no file is read. */
import { isoTime } from '../../../base/clock.js';
import { sha256Hex } from '../../../base/ids.js';
import { fitsModule } from '../../modules.js';
import { hasTag } from '../../tags.js';
import type { ConversationHead } from '../document/schema.js';

export interface ListQuery {
  /** Every word must begin a word of the title or a tag; in any order and case. */
  readonly words?: string;
  readonly module?: string;
  /** In any spelling of the tag. */
  readonly tag?: string;
  readonly pinned?: boolean;
  /** Epoch milliseconds, both ends included. */
  readonly updatedFrom?: number;
  readonly updatedTo?: number;
  readonly createdFrom?: number;
  readonly createdTo?: number;
}

/** Scripts without spaces between words. Such a word matches anywhere in the text. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/u;

/** The cached words of a head. They stay valid, because a head is never changed, only replaced. */
const texts = new WeakMap<ConversationHead, string>();

type Test = (head: ConversationHead) => boolean;

/** Returns a test with only the checks that the query needs; `undefined` if every conversation matches. */
export function predicateOf(query: ListQuery): Test | undefined {
  const { module, tag, pinned, words, updatedFrom, updatedTo, createdFrom, createdTo } = query;
  const tests: Test[] = [];
  if (module !== undefined) tests.push((head) => fitsModule(head.module, module));
  if (tag !== undefined) tests.push((head) => hasTag(head.tags ?? [], tag));
  if (pinned !== undefined) tests.push((head) => (head.pinned ?? false) === pinned);
  if (updatedFrom !== undefined) tests.push(timeTest('updatedAt', '>=', updatedFrom));
  if (updatedTo !== undefined) tests.push(timeTest('updatedAt', '<=', updatedTo));
  if (createdFrom !== undefined) tests.push(timeTest('createdAt', '>=', createdFrom));
  if (createdTo !== undefined) tests.push(timeTest('createdAt', '<=', createdTo));
  if (words !== undefined && words.trim() !== '') tests.push(wordsTest(words));
  const [only, ...others] = tests;
  return others.length === 0 ? only : (head) => tests.every((isMet) => isMet(head));
}

/** All times in memory have one form, so they can be compared as texts. */
function timeTest(field: 'createdAt' | 'updatedAt', side: '>=' | '<=', epochMs: number): Test {
  const limit = isoTime(epochMs);
  return side === '>=' ? (head) => head[field] >= limit : (head) => head[field] <= limit;
}

function wordsTest(words: string): Test {
  const needles = wordsOf(words).map((word) => (UNSPACED.test(word) ? word : ` ${word}`));
  // The words have no letter and no digit, such as "???".
  if (needles.length === 0) return () => false;
  return (head) => {
    const text = textOf(head);
    return needles.every((needle) => text.includes(needle));
  };
}

/** Returns eight hexadecimal digits that identify a query in a cursor. */
export function fingerprintOf(query: ListQuery): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return sha256Hex(JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 8);
}

/** Returns the words of title and tags, each after one space. */
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

/** Returns the words in lower case, without accents, in one normalization (NFKD). */
function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.split(SEPARATORS).filter((word) => word !== '');
}
