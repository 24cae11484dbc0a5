/** Which sentences read like promises, and by which rule. */
import { describe, expect, it } from 'vitest';
import { Breath } from '../../src/base/breath.js';
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
  ])('%s promises nothing', (sentence) => {
    expect(ruleFor(sentence)).toBeUndefined();
  });
});

describe('promises of a conversation', () => {
  it('carry the sentence, its message and the time it names, newest first', async () => {
    const conversation = conversationOf(
      'u: I will call Bob tomorrow. The weather is fine.',
      'a: Noted.\n\n- [ ] Risiken prüfen\n- [x] done already\n\nI’ll send the OKRs by end of the week.',
    );
    expect(await promisesIn(conversation, new Breath())).toMatchObject([
      { text: 'Risiken prüfen', rule: 'task', messageId: 'm2', seq: 2, role: 'assistant' },
      { text: 'I’ll send the OKRs by end of the week.', due: 'by end of the week' },
      { text: 'I will call Bob tomorrow.', due: 'tomorrow', messageId: 'm1', role: 'user' },
    ]);
  });

  it('are never invented: each is a part of its message', async () => {
    const conversation = conversationOf('u: Hm… I will\ngo. We’ll meet!  ', 'a: 好的。我会发送。');
    for (const { text, messageId } of await promisesIn(conversation, new Breath())) {
      const message = conversation.messages.find(({ id }) => id === messageId);
      expect(message?.content).toContain(text);
    }
  });
});
