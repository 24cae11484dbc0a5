/** Which sentences are questions, and which questions of a conversation are open. */
import { describe, expect, it } from 'vitest';
import { TimeSlice } from '../../src/base/async/time-slice.js';
import { isQuestion, openQuestions } from '../../src/context/open-questions.js';
import { conversationOf } from './conversation.js';

const asked = async (...lines: string[]) =>
  (await openQuestions(conversationOf(...lines), new TimeSlice())).map(({ text, seq, rule }) => [
    text,
    seq,
    rule,
  ]);

describe('a question', () => {
  it.each([
    'Shall we review the risks?',
    'Really?!?',
    'Did he say “why?”',
    '**Which one?**',
    '我们明天见面吗？',
    '本当ですか？',
    'هل نراجع المخاطر؟',
    '¿Revisamos los riesgos?',
    'Τι κάνεις;',
    'Passt „morgen?“',
    '»Wirklich?«',
    'Est-ce « vraiment prévu ? »',
    '¡¿De verdad?!',
    'Which one? 😊',
    '資料はどこにありますか。',
    '你明天来吗',
    'Ո՞ւր ես',
  ])('is recognised: %s', (sentence) => {
    expect(isQuestion(sentence)).toBe(true);
  });

  it.each([
    'We review the risks.',
    'What? That.',
    '日本はよかった。',
    'int x = 5;',
    'See https://example.org/?q=1 for more',
  ])('is not recognised in: %s', (sentence) => {
    expect(isQuestion(sentence)).toBe(false);
  });
});

describe('open questions', () => {
  it('are questions without a later message of the other role', async () => {
    expect(
      await asked('u: How are the OKRs?', 'a: Fine. Shall we review Tipz? Or the budget?'),
    ).toEqual([
      ['Shall we review Tipz?', 2, 'no-reply'],
      ['Or the budget?', 2, 'no-reply'],
    ]);
    expect(await asked('u: How are the OKRs?')).toEqual([['How are the OKRs?', 1, 'no-reply']]);
    expect(await asked('u: How are the OKRs?', 's: Be brief.')).toHaveLength(1);
  });

  it('do not include a question that was answered', async () => {
    expect(await asked('u: How are the OKRs?', 'a: Fine.', 'u: Good.')).toEqual([]);
    expect(await asked('u: First?', 'u: Second?', 'a: Both.')).toEqual([]);
    expect(await asked()).toEqual([]);
  });

  it('include a question whose answer was put off, with the reply that did this', async () => {
    const conversation = conversationOf(
      'a: Which quarter do you mean?',
      'u: I don’t know yet.',
      'a: No hurry.',
    );
    expect(await openQuestions(conversation, new TimeSlice())).toMatchObject([
      {
        text: 'Which quarter do you mean?',
        messageId: 'm1',
        rule: 'put-off',
        replyMessageId: 'm2',
      },
    ]);
    expect(await asked('u: When is it?', 'a: Let me check.', 'a: On Friday.')).toEqual([]);
    for (const reply of [
      'Das muss ich noch prüfen.',
      'Je ne sais pas encore.',
      'Déjame comprobarlo.',
      'Não sei ainda.',
      'Fammi controllare.',
      '我确认一下。',
      '確認します。',
    ]) {
      expect(await asked('u: When?', `a: ${reply}`), reply).toEqual([['When?', 1, 'put-off']]);
    }
  });

  it('do not include questions in code or quotes, and include a repeated question once', async () => {
    expect(
      await asked('a: Look:\n```\nwhy?\n```\n> who asked this?\nWhat now?\nWhat now?'),
    ).toEqual([['What now?', 1, 'no-reply']]);
  });
});
