/** Which sentences count as promises, and by which rule. */
import { describe, expect, it } from 'vitest';
import { TimeSlice } from '../../src/base/async/time-slice.js';
import { promisesIn, ruleFor } from '../../src/context/promises.js';
import { conversationOf } from './conversation.js';

describe('a sentence', () => {
  it.each([
    ['I’ll send the updated OKRs by Friday.', 'commitment'],
    ["I'm going to call the bank.", 'commitment'],
    ['I promise.', 'commitment'],
    ['We will look at Tipz next week.', 'agreement'],
    ["Let's talk about that tomorrow.", 'agreement'],
    ['Remind me to water the plants.', 'reminder'],
    ["Please don't forget the invoice.", 'reminder'],
    ['TODO: ask Anna', 'task'],
    ['Next steps: review the risks', 'task'],
    ['Ich schicke dir den Bericht bis Freitag.', 'commitment'],
    ['Wir haben uns auf den Termin geeinigt.', 'agreement'],
    ['Bitte nicht vergessen: die Rechnung.', 'reminder'],
    ['Nächste Schritte: Risiken prüfen', 'task'],
    ['Je vous enverrai le rapport demain.', 'commitment'],
    ['J’appellerai la banque.', 'commitment'],
    ['Nous allons en parler vendredi.', 'agreement'],
    ['N’oublie pas la facture.', 'reminder'],
    ['Te enviaré el informe el viernes.', 'commitment'],
    ['Vamos a hablar mañana.', 'agreement'],
    ['Recuérdame llamar a Ana.', 'reminder'],
    ['Se lo enviaré mañana.', 'commitment'],
    ['Vou enviar o relatório amanhã.', 'commitment'],
    ['Não te esqueças da fatura.', 'reminder'],
    ['Ti manderò il rapporto domani.', 'commitment'],
    ['Abbiamo deciso di aspettare.', 'agreement'],
    ['我明天会把报告发给你。', 'commitment'],
    ['我们决定下周开始。', 'agreement'],
    ['别忘了发票。', 'reminder'],
    ['明日報告書を送ります。', 'commitment'],
    ['来週話し合いましょう。', 'agreement'],
    ['請求書を忘れないでください。', 'reminder'],
  ])('%s is a %s', (sentence, rule) => {
    expect(ruleFor(sentence)).toBe(rule);
  });

  it.each([
    'The meeting was on Friday.',
    "I'll be honest, it is late.",
    "We'll see.",
    'Will I send it?',
    'If it rains, I will stay.',
    'He will send it.',
    'Les OKR sont prêts.',
    'Die Sitzung war am Freitag.',
    'Wenn es regnet, werde ich bleiben.',
    'Si llueve, iré en coche.',
    'El café está frío.',
    'Le marché est vrai.',
    '会议很长。',
    'もし雨なら、明日行きます。',
    '資料はとても良かったです。',
  ])('%s is no promise', (sentence) => {
    expect(ruleFor(sentence)).toBeUndefined();
  });
});

describe('promises of a conversation', () => {
  it('have the sentence, its message and the time that it names, newest first', async () => {
    const conversation = conversationOf(
      'u: I will call Bob tomorrow. The weather is fine.',
      'a: Noted.\n\n- [ ] Risiken prüfen\n- [x] done already\n\nI’ll send the OKRs by end of the week.',
    );
    expect(await promisesIn(conversation, new TimeSlice())).toMatchObject([
      { text: 'Risiken prüfen', rule: 'task', messageId: 'm2', seq: 2, role: 'assistant' },
      { text: 'I’ll send the OKRs by end of the week.', due: 'by end of the week' },
      { text: 'I will call Bob tomorrow.', due: 'tomorrow', messageId: 'm1', role: 'user' },
    ]);
    const elsewhere = conversationOf(
      'u: Ich werde es bis Freitag schicken.',
      'a: 我明天会发给你。',
    );
    expect(await promisesIn(elsewhere, new TimeSlice())).toMatchObject([
      { due: '明天' },
      { due: 'bis Freitag' },
    ]);
  });

  it('include an open task once, and no task that is done', async () => {
    const conversation = conversationOf(
      'a: - [ ] We will buy sand by Friday. I will call.\n- [x] I’ll paint the door.\n1. [ ] Sow peas\nI will come.',
    );
    const found = await promisesIn(conversation, new TimeSlice());
    expect(found.map(({ rule, text }) => [rule, text])).toEqual([
      ['task', 'We will buy sand by Friday. I will call.'],
      ['task', 'Sow peas'],
      ['commitment', 'I will come.'],
    ]);
  });

  it('are parts of their messages, word for word', async () => {
    const conversation = conversationOf('u: Hm… I will\ngo. We’ll meet!  ', 'a: 好的。我会发送。');
    const found = await promisesIn(conversation, new TimeSlice());
    expect(found.length).toBeGreaterThan(0);
    for (const { text, messageId } of found) {
      const message = conversation.messages.find(({ id }) => id === messageId);
      expect(message?.content).toContain(text);
    }
  });
});
