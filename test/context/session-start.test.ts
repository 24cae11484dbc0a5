/** The parts of `session_start`: the last session, distinctive words, and the snapshot within its budget. */
import { describe, expect, it } from 'vitest';
import { TimeSlice } from '../../src/base/async/time-slice.js';
import { estimateTextTokens } from '../../src/base/text/estimate-tokens.js';
import { mostDistinctive } from '../../src/context/distinctive-words.js';
import { frequentWords } from '../../src/context/frequent-words.js';
import { lastSession } from '../../src/context/last-session.js';
import { sentencesOf } from '../../src/context/sentences.js';
import { shortened, snapshotOf } from '../../src/context/session-start-budget.js';
import { conversationOf } from './conversation.js';

describe('sentences', () => {
  it('are found in any script, without quotes and the marks of headings and lists', () => {
    expect(sentencesOf('# Plan\n1. One thing. Another!\n> not mine\n你好。再见！\n---')).toEqual([
      'Plan',
      'One thing.',
      'Another!',
      '你好。',
      '再见！',
    ]);
  });

  it('continue after the dot of an ordinal number, and end after another number', () => {
    for (const one of [
      'Ich schicke es bis zum 31. März an dich.',
      'Wir treffen uns am 3. Okt. im Park.',
      'Rapporten for 3. kvartal er klar.',
    ]) {
      expect(sentencesOf(one)).toEqual([one]);
    }
    expect(sentencesOf("I'll upgrade to Node 22. Is that ok?")).toEqual([
      "I'll upgrade to Node 22.",
      'Is that ok?',
    ]);
    expect(sentencesOf('Use port 80. Mary will check. Use 16. Maybe 17.')).toHaveLength(4);
  });
});

describe('the last session', () => {
  it('begins after the last pause of more than four hours', () => {
    const { messages } = conversationOf('u: a', 'a: b', '… 5h', 'u: c', '… 3h', 'a: d');
    expect(lastSession(messages)).toMatchObject({
      fromSeq: 3,
      messages: 2,
      durationMinutes: 181,
      endedAt: messages[3]?.createdAt,
    });
    expect(lastSession([])).toBeUndefined();
  });

  it('begins where the clock was set back by more than four hours', () => {
    const { messages } = conversationOf('u: a', 'a: b', 'u: c', 'a: d');
    const ahead = '2030-01-01T00:00:00.000Z';
    const shifted = messages.map((each, at) => (at < 2 ? { ...each, createdAt: ahead } : each));
    expect(lastSession(shifted)).toMatchObject({
      fromSeq: 3,
      durationMinutes: 1,
      startedAt: messages[2]?.createdAt,
    });
  });
});

describe('distinctive words', () => {
  it('leave out a word only if it is a function word in the language of its message', async () => {
    const texts = [
      'Die Tomaten stehen an der Mauer, und das Gewächshaus braucht ein Fundament.',
      'And if they are cold, the batteries of this lamp die: that is the war with the shed.',
    ];
    const all = texts.map((content, at) => ({
      id: `${at}`,
      role: 'user' as const,
      content,
      createdAt: '2025-01-24T15:00:00.000Z',
    }));
    const words = (await frequentWords(all, all, 40, new TimeSlice())).map(({ word }) => word);
    expect(words).toEqual(expect.arrayContaining(['tomaten', 'mauer', 'batteries', 'die', 'war']));
    for (const word of ['der', 'und', 'das', 'ein']) expect(words).not.toContain(word);
  });

  it('are frequent in these messages and rare in the rest of the store', async () => {
    const { messages } = conversationOf(
      'u: The tipz budget and the garden',
      'a: The Tipz plan, the garden',
    );
    const words = await frequentWords(messages, messages, 40, new TimeSlice());
    expect(words.map(({ word }) => word)).not.toContain('the');
    const everywhere = new Map([['garden', 900]]);
    const counts = words.map(({ word }) => everywhere.get(word) ?? 2);
    const best = mostDistinctive(words, { documents: 1000, counts }, 2, 2);
    expect(best[0]).toBe('tipz');
    expect(best).not.toContain('garden');
  });

  it('are found in scripts without spaces', async () => {
    const { messages } = conversationOf('u: 我们讨论了自由和目标', 'a: 自由很重要');
    const words = await frequentWords(messages, messages, 40, new TimeSlice());
    expect(words.map(({ word }) => word)).toContain('自由');
  });
});

describe('the snapshot', () => {
  it('has a sentence once if a branch of the conversation repeats it', async () => {
    const source = conversationOf("u: I'll write the tests tomorrow.", 'a: Which framework?');
    const branch = { ...source, conversationId: '20251225-1766597400000' };
    const snapshot = await snapshotOf([branch, source], { tokens: 5000 }, new TimeSlice());
    const ids = [snapshot?.promises, snapshot?.openQuestions].map((all) =>
      all?.map(({ conversationId }) => conversationId),
    );
    expect(ids).toEqual([[branch.conversationId], [branch.conversationId]]);
  });

  const long = conversationOf(
    ...Array.from({ length: 40 }, (_, n) => `${n % 2 ? 'a' : 'u'}: ${'word '.repeat(100)}${n}?`),
  );

  it('has the last turns in order and the open questions', async () => {
    const snapshot = await snapshotOf(
      [conversationOf('u: Hello', 'a: Shall I?')],
      { tokens: 1000 },
      new TimeSlice(),
    );
    expect(snapshot).toMatchObject({
      lastTurns: [{ seq: 1, content: 'Hello' }, { seq: 2 }],
      openQuestions: [{ text: 'Shall I?' }],
      promises: [],
      omitted: { turns: 0, openQuestions: 0, promises: 0 },
    });
    expect(await snapshotOf([], { tokens: 1000 }, new TimeSlice())).toBeUndefined();
    expect(await snapshotOf([conversationOf()], { tokens: 1000 }, new TimeSlice())).toBeUndefined();
  });

  it.each([
    300, 1000, 5000,
  ])('stays within %d tokens and counts the omitted turns', async (tokens) => {
    const snapshot = await snapshotOf([long], { tokens }, new TimeSlice());
    const { lastTurns = [], openQuestions = [], promises = [], omitted } = snapshot ?? {};
    const spent = [...lastTurns, ...openQuestions, ...promises].reduce(
      (sum, part) => sum + estimateTextTokens(JSON.stringify(part)),
      0,
    );
    expect(spent).toBeLessThanOrEqual(tokens * 1.05);
    expect(lastTurns.at(-1)?.seq).toBe(40);
    expect(lastTurns.length + (omitted?.turns ?? 0)).toBe(40);
  });

  it('shortens a long turn, and never cuts between the halves of a character', () => {
    const cut = shortened('😀'.repeat(2000), 200);
    expect(cut?.isCut).toBe(true);
    expect(cut?.content.isWellFormed()).toBe(true);
    expect(estimateTextTokens(cut?.content ?? '')).toBeLessThanOrEqual(200);
  });
});
