/** When a later passage supersedes an earlier one, and when the two are only similar. */
import { describe, expect, it } from 'vitest';
import { supersededBy } from '../../src/context/snippets/superseded.js';

const isSuperseded = (earlier: string, later: string) =>
  supersededBy([
    { text: earlier, time: 1, role: 'user' },
    { text: later, time: 2, role: 'user' },
  ])[0] === 1;

describe('a passage is superseded by a later passage', () => {
  it.each([
    ['The rent of the flat is 900 euros.', 'The rent of the flat is 950 euros.'],
    [
      'The deadline of the grant application is 12 May 2025.',
      'The deadline of the grant application is 14 June 2025.',
    ],
    ['The band practice is on Monday evening.', 'The band practice is on Friday evening.'],
    ['We print the flyers at Meyer.', 'We no longer print the flyers at Meyer.'],
    ['We print the flyers at Meyer.', "We don't print the flyers at Meyer anymore."],
    [
      'The billing service stores invoices in MySQL.',
      'We want to switch the billing service from MySQL to SQLite for the invoices.',
    ],
    [
      'Wir treffen uns zum Training im Park.',
      'Wir treffen uns zum Training in der Halle statt im Park.',
    ],
    ['Nous achetons le pain chez Morel.', "Nous n'achetons plus le pain chez Morel."],
    ['Die Probe der Band im Keller ist am Montag.', 'Die Probe der Band im Keller ist am Freitag.'],
  ])('%s - %s', (earlier, later) => {
    expect(isSuperseded(earlier, later)).toBe(true);
  });
});

describe('a passage is not superseded by a passage about another subject', () => {
  it.each([
    ['The server in Berlin has 64 GB of memory.', 'The server in Madrid has 32 GB of memory.'],
    [
      'I paid invoice 4711 of the plumber Meyer: 300 euros.',
      'I paid invoice 4722 of the plumber Meyer: 450 euros.',
    ],
    [
      'My daughter Mia was born in the hospital of Ockham in 2015.',
      'My daughter Eva was born in the hospital of Ockham in 2018.',
    ],
    [
      'The budget for the new kitchen floor is 3000 euros.',
      'The budget for the new garage floor is 1200 euros.',
    ],
    [
      'Das Konzert im Park ist ausverkauft.',
      'Das Konzert im Park findet mit der Band aus Ulm statt.',
    ],
    [
      'Das Fahrrad steht im Keller.',
      'Das Fahrrad steht in der Werkstatt neben dem Keller der Schule.',
    ],
    [
      'Nous cherchons une maison avec piscine.',
      'Nous cherchons une maison plus proche de la piscine.',
    ],
    ['El hotel tiene piscina y garaje.', 'La playa no tiene piscina, el hotel tiene terraza.'],
    ['Do you have ideas for the garden party?', 'Do you have any more ideas for the garden?'],
  ])('%s - %s', (earlier, later) => {
    expect(isSuperseded(earlier, later)).toBe(false);
  });
});
