/** Where the sentences of a message begin and end. */
import { describe, expect, it } from 'vitest';
import { sentencesOf } from '../../src/context/sentences.js';

describe('the sentences of a message', () => {
  it.each([
    ['Dr. Okafor says no. Ask again.', ['Dr. Okafor says no.', 'Ask again.']],
    ['Le plombier, M. Morel, vient lundi.', ['Le plombier, M. Morel, vient lundi.']],
    ['Llamé a la Sra. Ruiz. No contesta.', ['Llamé a la Sra. Ruiz.', 'No contesta.']],
    ['Am 3. März kommt Hr. Weber.', ['Am 3. März kommt Hr. Weber.']],
    ['The door is 80 cm. Take it.', ['The door is 80 cm.', 'Take it.']],
    ['No. We stay.', ['No.', 'We stay.']],
    ['Team M won. Bob paid.', ['Team M won.', 'Bob paid.']],
    ['Why does a != b hold? Tell me.', ['Why does a != b hold?', 'Tell me.']],
    ['See https://x.example/a?b=1 today. Now.', ['See https://x.example/a?b=1 today.', 'Now.']],
    ['What is .NET? A name.', ['What is .NET?', 'A name.']],
    ['**Careful!** It is hot. Wait.', ['**Careful!** It is hot.', 'Wait.']],
    ['Nimm z.B. Holz vs. Metall. Gut.', ['Nimm z.B. Holz vs. Metall.', 'Gut.']],
    ['これは何?次は！はい', ['これは何?', '次は！', 'はい']],
  ])('are found in: %s', (text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences);
  });

  it('do not include the rows of a table', () => {
    const table = '| | MySQL | SQLite |\n|---|---|---|\n| Partial indexes | no | yes |';
    expect(sentencesOf(`Both work.\n\n${table}\n\nTake SQLite.`)).toEqual([
      'Both work.',
      'Take SQLite.',
    ]);
  });
});
