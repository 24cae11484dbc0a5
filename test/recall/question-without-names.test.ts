/** Names of speakers are left out of the second variant of a question, which only its vector uses. */
import { expect, it } from 'vitest';
import { variantsOf } from '../../src/recall/question/question-without-names.js';
import { RecallIndex } from '../../src/recall/recall-index.js';

const SPEAKERS = new Set(['anna', 'maría', 'will', 'weiss', 'jean', 'luc']);

it.each([
  ['What does Anna like to read?', 'What does like to read?'],
  ["Where is Anna's dog?", 'Where is dog?'],
  ['Anna’s plans for María', 'plans for'],
  ['When will Will call?', 'When will call?'],
  ['What did Weiß say to Mari\u0301a?', 'What did say to ?'],
  ["What did Jean-Luc's dog do?", 'What did dog do?'],
])('%s has a variant without names', (question, nameless) => {
  expect(variantsOf(question, SPEAKERS)).toEqual([question, nameless]);
});

it.each([
  'What does Annabel read?',
  'Anna?',
  'anna',
  'will it rain',
  '',
])('%s has one variant', (question) => {
  expect(variantsOf(question, SPEAKERS)).toEqual([question]);
});

it('the speakers of an index are those of the conversations in scope', () => {
  const index = new RecallIndex();
  const said = (speaker: string | undefined) => [
    { role: 'user', content: 'hello', time: 0, speaker },
  ];
  index.put('a', said('Anna Lee'));
  index.put('b', said('Bob'));
  index.put('c', said(undefined));
  expect(index.speakers(() => true)).toEqual(new Set(['anna', 'lee', 'bob']));
  expect(index.speakers((id) => id === 'b')).toEqual(new Set(['bob']));
});

it('a person who no longer speaks in a conversation is no speaker', () => {
  const by = (speaker?: string) => ({ role: 'user', content: 'Larch', time: 0, speaker });
  const index = new RecallIndex();
  index.put('a', [by('Anna'), by(), by('Bob'), by('Carl')]);
  index.put('a', [by('Anna'), by(), by('Dora')], 2);
  expect(index.get('a')?.people).toEqual(['anna', 'dora']);
  expect([...(index.get('a')?.speakers ?? [])]).toEqual([3, 1, 4]);
  index.put('a', [by()]);
  expect(index.speakers(() => true)).toEqual(new Set());
});
