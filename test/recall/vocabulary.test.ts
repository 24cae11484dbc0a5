import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Uint32List } from '../../src/base/arrays/typed-array.js';
import { LANGUAGES } from '../../src/recall/languages.js';
import { Vocabulary } from '../../src/recall/vocabulary.js';
import { stemOf } from '../../src/recall/words/stemming.js';
import { wordsOf } from '../../src/recall/words/words.js';

const ENGLISH = 0;
const GERMAN = LANGUAGES.findIndex(({ code }) => code === 'de');
const PIECES = [
  ...['The', 'tomatoes', 'TOMATO', 'a1', ' ', '. ', '—', 'é', 'e\u0301', 'Straße', 'ﬁne', 'naïve'],
  ...['東京', 'タワー', 'ｶﾞｷﾞ', '㍿', '𠮷野家', '𝒳', '\ud800', '\u{1f345}', 'x'.repeat(70)],
];

/** The stems of a text, one word after the other, by strings. */
function stemsOf(text: string, language = ENGLISH): string[] {
  return wordsOf(text).flatMap((word) => stemOf(word, language) ?? []);
}

function wordsRead({ reader }: Vocabulary, text: string): number[] {
  reader.clear();
  reader.add(text);
  return [...reader.words.array.subarray(0, reader.words.count)];
}

function stemsRead(vocabulary: Vocabulary, text: string): string[] {
  const { length } = wordsRead(vocabulary, text);
  const terms = new Uint32List();
  vocabulary.appendStems(0, length, ENGLISH, terms);
  return [...terms.array.subarray(0, terms.count)].map((number) => vocabulary.term(number));
}

describe('the vocabulary', () => {
  it('reads the words of any text as they are cut and stemmed one by one', () => {
    const vocabulary = new Vocabulary();
    const text = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string())).map((p) => p.join(''));
    const check = (given: string) => {
      expect(stemsRead(vocabulary, given)).toEqual(stemsOf(given));
    };
    fc.assert(fc.property(text, check), { numRuns: 500 });
  });

  it('assigns each of 20 000 words a number, and the same one again', () => {
    const vocabulary = new Vocabulary();
    const text = Array.from({ length: 20_000 }, (_, at) => `word${at}`).join(' ');
    const once = wordsRead(vocabulary, text);
    const again = wordsRead(vocabulary, text.toUpperCase());
    expect(new Set(once).size).toBe(20_000);
    expect(again).toEqual(once);
  });
});

describe('the language of a text', () => {
  it.each([
    [
      'en',
      'commit 1515a8d * src/fccfg.c: Fix the test of names * fc-lang/c.orth, doc/m.h, l.c: Updated',
    ],
    ['en', 'Remove the sign from: fc-lang/de.orth, fc-lang/la.orth, fc-lang/de.conf, doc/la.txt'],
    ['fr', "Le test n'est pas dans le fichier main.c, il est dans l.c"],
    ['es', 'El fichero main.c y la prueba no son los que esperaba'],
    ['it', 'Il file main.c non ha più la funzione che era nel file l.c'],
  ])('is %s, whatever the names of files: %s', (code, text) => {
    const vocabulary = new Vocabulary();
    wordsRead(vocabulary, text);
    expect(LANGUAGES[vocabulary.languageOf(ENGLISH)]?.code).toBe(code);
  });
});

describe('identifiers', () => {
  it.each(['9c19326edes', 'sha256sums', 'v2', 'utf8'])('are not stemmed: %s', (word) => {
    expect(stemsOf(word)).toEqual([word]);
  });

  it('in the plural are found in the singular: mp3s', () => {
    expect(stemsOf('mp3s')).toEqual(stemsOf('mp3'));
  });
});

describe('English stems', () => {
  it.each([
    'connect connected connecting connection connections',
    'collect collected collection',
    'discuss discussed discussion discussions',
    'promise promised promises',
    'precise precision',
    'surprise surprised surprising',
    'adopt adopted adoption',
    'relate related relating relational',
    'tomato tomatoes',
    'buy buys buying bought',
    'write wrote written writing',
    'child children',
    'colour colours coloured color colors',
    'organise organised organising organize organized',
    'organisation organization',
    'summarise summarize summarises',
    'analyse analysing analyze analyzing',
    'centre centres center centered',
    'catalogue catalog catalogs',
    'licence license',
  ])('are the same for the forms of a word: %s', (forms) => {
    expect(new Set(stemsOf(forms)).size).toBe(1);
  });

  it.each([
    'see saw',
    'leave left',
    'lead led',
    'mourning morning',
  ])('are not joined for another word: %s', (words) => {
    expect(new Set(stemsOf(words)).size).toBe(2);
  });
});

describe('German stems', () => {
  it.each([
    'kaufen gekauft',
    'einkaufen eingekauft',
    'zurückgeben zurückgegeben',
    'gehen gingen gegangen',
    'verstehen verstanden',
    'entscheiden entschied entschieden',
    'arbeiten gearbeitet',
    'öffnen geöffnet',
    'ändern geändert',
    'verändern verändert',
    'sammeln gesammelt',
    'erwarten erwartet',
    'besuchen besucht Besuch',
    'berichten berichtet Bericht',
    'installieren installierte installiert',
    'Gerät Geräte',
    'Kapitel Kapiteln',
  ])('are the same for the forms of a word: %s', (forms) => {
    expect(new Set(stemsOf(forms, GERMAN)).size).toBe(1);
  });

  it.each([
    'Gerät raten',
    'Gehalt halten',
    'Gewalt Wale',
    'Stand stehen',
    'Finger fangen',
    'Laser lesen',
    'liefern laufen',
    'Bogen biegen',
    'verlegt liegen',
    'gesamt Sam',
    'Geist Eis',
  ])('are not joined for another word: %s', (words) => {
    expect(new Set(stemsOf(words, GERMAN)).size).toBe(2);
  });

  it.each([
    'Bericht Wetterbericht',
    'Bestand Lagerbestand',
    'Angebot Sonderangebot',
  ])('of a noun end those of its compounds: %s', (words) => {
    const [noun = '', compound = ''] = stemsOf(words, GERMAN);
    expect(compound).toMatch(new RegExp(`${noun}$`));
  });
});

describe('the stems of other languages', () => {
  it.each([
    ['fr', 'vendre vendu vendons'],
    ['fr', 'prendre pris'],
    ['fr', 'écrire écrite écrit'],
    ['fr', 'découvrir découvert'],
    ['es', 'hacer hecho hizo'],
    ['es', 'encontrar encuentra encontrado'],
    ['it', 'scrivere scritto'],
    ['it', 'decidere deciso'],
    ['pt', 'escrever escrito'],
    ['pt', 'fazer feito fez'],
    ['nl', 'maken gemaakt'],
    ['nl', 'installeren geïnstalleerd'],
    ['nl', 'opbouwen opgebouwd'],
    ['nl', 'kopen gekocht'],
    ['nl', 'gebruiken gebruikt'],
  ])('are the same for irregular forms: %s %s', (code, forms) => {
    const language = LANGUAGES.findIndex((each) => each.code === code);
    expect(new Set(stemsOf(forms, language)).size).toBe(1);
  });

  it.each([
    ['fr', 'cru croire'],
    ['it', 'letto leggere'],
    ['nl', 'gemiddeld middel'],
    ['nl', 'gewicht wichelen'],
  ])('are not joined for another word: %s %s', (code, words) => {
    const language = LANGUAGES.findIndex((each) => each.code === code);
    expect(new Set(stemsOf(words, language)).size).toBe(2);
  });
});
