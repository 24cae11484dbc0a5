/** The lexical scores of answers, compared with the definition in docs/RECALL.md, message by message. */
import { describe, expect, it } from 'vitest';
import { TimeSlice } from '../../src/base/async/time-slice.js';
import type { ConversationTerms } from '../../src/recall/conversation-terms.js';
import { findWords } from '../../src/recall/matching/found-words.js';
import { MessageScorer } from '../../src/recall/matching/lexical-score.js';
import { MessageTable } from '../../src/recall/matching/message-table.js';
import { WordMasks } from '../../src/recall/matching/word-masks.js';
import type { Question } from '../../src/recall/question/question.js';
import { RecallIndex } from '../../src/recall/recall-index.js';
import { seededRandom } from '../support/seeded-random.js';

const HOUR = 3_600_000;
const WORDS = ['garden', 'bench', 'mara', 'stone', 'bread', '2026', 'always'];
const OTHERS = Array.from({ length: 30 }, (_, at) => `filler${String.fromCharCode(97 + at)}`);
/** The word "Bremse" of a question also stands for these, so it has several terms. */
const FORMS = ['gardens', 'Bremse', 'Handbremse', 'Scheibenbremsen'];
const FUNCTION_WORDS = {
  english: ['the', 'and', 'of', 'was'],
  german: ['und', 'der', 'ist', 'nicht'],
};

const random = seededRandom(11);
const pick = (limit: number) => Math.floor(random() * limit);
const from = <T>(list: readonly T[]): T => list[pick(list.length)] as T;

function randomText(functionWords: readonly string[]): string {
  const length = 1 + pick(from([4, 12, 60, 400]));
  return Array.from({ length }, () =>
    from([WORDS, FORMS, functionWords, OTHERS, OTHERS, OTHERS, OTHERS]),
  )
    .map(from)
    .join(' ');
}

function randomIndex(conversations: number): RecallIndex {
  const index = new RecallIndex();
  for (let at = 0; at < conversations; at++) {
    const functionWords = from(Object.values(FUNCTION_WORDS));
    let time = Date.UTC(2026, pick(12), 1 + pick(28));
    const messages = Array.from({ length: 1 + pick(from([3, 40])) }, () => {
      time += from([1000, 60_000, 2 * HOUR]);
      const role = from(['user', 'assistant', 'system']);
      const speaker = from([undefined, undefined, 'Mara', 'Ben Stone']);
      return { role, content: randomText(functionWords), time, speaker };
    });
    index.put(`c${at}`, messages);
  }
  return index;
}

/** By conversation and message: the score of the definition. */
function definedScores(index: RecallIndex, question: Question, ids: readonly string[]) {
  const all = ids.map((id) => index.get(id) as ConversationTerms);
  // A term of two words counts for the last.
  const has = (word: number, term: number) =>
    question.words.findLastIndex(({ terms }) => terms.includes(term)) === word;
  const isIn = ({ terms }: ConversationTerms, word: number, start: number, end: number) =>
    terms.subarray(Math.max(0, start), Math.max(0, end)).some((term) => has(word, term));
  const messages = all.reduce((sum, { flags }) => sum + flags.length, 0);
  const terms = all.reduce((sum, one) => sum + one.terms.length, 0);
  const passages = all.reduce((sum, one) => sum + one.passages.length / 2, 0);
  const raw = question.words.map(({ weight }, word) => {
    const count = all.reduce(
      (sum, one) =>
        sum +
        one.flags.filter((_, m) => isIn(one, word, one.starts[m]!, one.starts[m + 1]!)).length,
      0,
    );
    return weight * Math.log(1 + (messages - count + 0.5) / (count + 0.5));
  });
  const weights = raw.map((weight) => weight / raw.reduce((sum, one) => sum + one, 0));
  const scoreOf = (one: ConversationTerms, message: number): number => {
    const { starts, times, speakers, prefixes } = one;
    const isPause = (at: number) => times[at]! - times[at - 1]! > HOUR;
    let first = message;
    while (first > 0 && !isPause(first)) first--;
    let end = message + 1;
    while (end < times.length && !isPause(end)) end++;
    const [start, stop] = [starts[message]!, starts[message + 1]!];
    // A system message is no reply to its neighbours.
    const hasWord = question.words.some((_, word) => isIn(one, word, start, stop));
    if (speakers[message] === 0 && !hasWord) return 0;
    const turns = [
      speakers.lastIndexOf(speakers[message]!, message - 1),
      speakers.indexOf(speakers[message]!, message + 1),
    ].filter((turn, at) => turn >= 0 && (at === 1 || message > 0));
    const scores = Array.from(
      { length: one.firstPassages[message + 1]! - one.firstPassages[message]! },
      (_, at) => {
        const passage = one.firstPassages[message]! + at;
        const [begin, close] = [one.passages[2 * passage]!, one.passages[2 * passage + 1]!];
        const norm = 0.7 * (0.5 + (0.5 * (close - begin)) / (terms / passages));
        return weights.reduce((sum, weight, word) => {
          const inLabel = isIn(one, word, start, start + prefixes[message]!);
          const found = [...one.terms.subarray(begin, close)].filter((term) =>
            has(word, term),
          ).length;
          const frequency = found || (inLabel ? 1 : 0);
          const inside = (1.7 * frequency) / (frequency + norm);
          const isNear =
            isIn(one, word, Math.max(start - 20, starts[first]!), start) ||
            isIn(one, word, stop, Math.min(stop + 20, starts[end]!));
          const inTurn = turns.some((turn) =>
            isIn(one, word, starts[turn]!, Math.min(starts[turn]! + 20, starts[turn + 1]!)),
          );
          const around = Math.max(isNear ? 0.7 : 0, inTurn ? 0.5 : 0);
          return sum + weight * (Math.max(inside, around) + (isNear && inTurn ? 0.15 : 0));
        }, 0);
      },
    );
    return Math.max(0, ...scores);
  };
  return new Map(
    ids.flatMap((id, at) =>
      Array.from(all[at]!.flags, (_, m) => [`${id} ${m + 1}`, scoreOf(all[at]!, m)] as const),
    ),
  );
}

const QUESTIONS = [
  'garden stone bread',
  'stone',
  'Why was my bread so dense?',
  'Bremse stone bread',
  'Scheibenbremse and Bremse, stone, bread',
  'What did Mara say about the garden bench and the stone of 2026?',
  'Always use the bench and the garden when I ask about bread and stone',
  'Mara stone 2026 garden bench bread always',
];

describe('an answer', () => {
  const ids = Array.from({ length: 90 }, (_, at) => `c${at}`);
  const index = randomIndex(ids.length);

  it.each(
    QUESTIONS,
  )('has the messages with the best scores of the definition: %s', async (text) => {
    for (const inScope of [undefined, (id: string) => id < 'c5']) {
      const scope = inScope === undefined ? {} : { inScope };
      const question = index.question(text, scope);
      const searched = inScope === undefined ? ids : ids.filter(inScope);
      const defined = definedScores(index, question, searched);
      const answer = await index.ask(question, { ...scope, depth: 10_000 });
      const hits = answer.hits(0, answer.total);
      const matching = [...defined].filter(([, score]) => score > 0).length;
      // One keyword has no neighbours as results.
      if (text !== 'stone') expect(hits).toHaveLength(matching);
      for (const { conversationId, seq, lexical } of hits)
        expect(lexical).toBeCloseTo(defined.get(`${conversationId} ${seq}`)!, 6);

      const short = await index.ask(question, scope);
      const read = short.hits(0, short.total);
      const scores = read.map(({ lexical }) => lexical).sort((a, b) => b - a);
      const best = hits.map(({ lexical }) => lexical).sort((a, b) => b - a);
      expect(scores.length).toBeGreaterThanOrEqual(Math.min(400, hits.length));
      expect(scores.slice(0, 400)).toEqual(best.slice(0, 400));
    }
  });
});

it.each(QUESTIONS)('no bound is lower than the score of a message: %s', async (text) => {
  const ids = Array.from({ length: 40 }, (_, at) => `c${at}`);
  const index = randomIndex(ids.length);
  const { vocabulary } = index;
  const table = new MessageTable();
  for (const id of ids) table.put(id, index.get(id)!, 0);
  const question = index.question(text, {});
  const view = await table.view(vocabulary, new TimeSlice());
  const found = await findWords(question, view, undefined, new TimeSlice());
  const { masks } = view;
  const { statistics } = found;
  const vocabularySize = vocabulary.size;
  const scorer = new MessageScorer({ question, vocabularySize, masks, statistics });
  let scored = 0;
  found.searched.forEach((indexed, slot) => {
    const all = scorer.weightOf(found.conversationWords[slot] ?? 0);
    indexed?.numbers.forEach((number, message) => {
      const score = scorer.score(indexed, message)?.score ?? 0;
      const least = score - 1e-6;
      expect(scorer.boundOf(scorer.gainOf(number), all)).toBeGreaterThanOrEqual(least);
      const words = found.conversationWords[slot] ?? 0;
      const around = scorer.weightOf(scorer.wordsAround(indexed, message, words));
      expect(scorer.boundOf(scorer.gainOf(number), around)).toBeGreaterThanOrEqual(least);
      expect(scorer.score(indexed, message, least)?.score).toBe(score);
      if (score > 0) scored += 1;
    });
  });
  expect(scored).toBeGreaterThan(100);
});

describe('a message of very many passages', () => {
  it('names its best passage, however far behind it is', () => {
    const count = 70_000;
    // One term a passage: reading a text of so many passages would last for seconds.
    const conversation: ConversationTerms = {
      terms: Uint32Array.from({ length: count }, (_, at) => (at === count - 1 ? 1 : 0)),
      starts: Uint32Array.of(0, count),
      prefixes: new Uint8Array(1),
      flags: new Uint8Array(1),
      languages: new Uint8Array(1),
      speakers: new Uint8Array(1),
      times: new Float64Array(1),
      firstPassages: Uint32Array.of(0, count),
      passages: Uint32Array.from({ length: 2 * count }, (_, at) => (at + 1) >> 1),
      people: [],
    };
    const question = new RecallIndex().question('garden', {});
    const words = question.words.map((word) => ({ ...word, terms: [1] }));
    const masks = new WordMasks(1);
    for (const array of [masks.all, masks.content]) array[0] = 1;
    const scorer = new MessageScorer({
      question: { ...question, words },
      vocabularySize: 2,
      masks,
      statistics: { counts: Uint32Array.of(1), messages: 1, passageLength: 1 },
    });
    const indexed = {
      conversationId: 'a',
      conversation,
      numbers: Uint32Array.of(0),
      reach: 0,
      flags: 0,
    };
    expect(scorer.score(indexed, 0)?.passage).toBe(count - 1);
  });
});
