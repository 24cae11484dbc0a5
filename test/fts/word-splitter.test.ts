/**
 * The words of a text and their keys: WebAssembly and JavaScript find the same, which is what a regular
 * expression finds. `npm run gen` writes the bytes of the WebAssembly from its text.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import wabt from 'wabt';
import { keyOf, MAX_KEYED } from '../../src/fts/terms/term-keys.js';
import {
  plainSplitter,
  WITHOUT_KEY,
  WORD,
  type WordSplitter,
  wasmSplitter,
} from '../../src/fts/tokenizing/word-splitter.js';
import { seededRandom } from '../support/seeded-random.js';

const ROOM = new URL('../../src/fts/tokenizing/', import.meta.url);

function wordsBy({ units, words, split }: WordSplitter, text: string): number[] {
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return [...words.subarray(0, WORD * split(text.length))];
}

/** The same by a regular expression. Without a key, the first number may be anything. */
function expectedWords(text: string): number[] {
  return [...text.matchAll(/[a-zA-Z0-9\u0080-\uffff]+/g)].flatMap(({ 0: word, index }) => {
    const hasKey = /^[a-zA-Z0-9]+$/.test(word) && word.length <= MAX_KEYED;
    const { first, second } = hasKey
      ? keyOf(word.toLowerCase())
      : { first: 0, second: WITHOUT_KEY };
    return [index, index + word.length, first, second];
  });
}

const withoutUnusedKeys = (words: number[]) =>
  words.map((number, at) => (at % WORD === 2 && words[at + 1] === WITHOUT_KEY ? 0 : number));

describe('the words of a text', () => {
  it('the bytes of the WebAssembly are those of its text', async () => {
    const source = readFileSync(new URL('split-words.wat', ROOM), 'utf8');
    const module = (await wabt()).parseWat('split-words.wat', source);
    const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64');
    const lines = base64.match(/.{1,90}/g) ?? [];
    const text = lines.map((line) => `  '${line}'`).join(' +\n');
    await expect(
      `/** The bytes of split-words.wat in Base64, written by \`npm run gen\`. */\nexport const SPLIT_WORDS =\n${text};\n`,
    ).toMatchFileSnapshot(new URL('split-words-wasm.ts', ROOM).pathname);
  });

  it.each([
    ['WebAssembly', wasmSplitter],
    ['JavaScript', plainSplitter],
  ])('%s finds them as a regular expression does', (_, make) => {
    const splitter = make();
    const random = seededRandom(7);
    const pick = (characters: string) => characters[Math.floor(random() * characters.length)] ?? '';
    const kinds = [
      'abcxyzABCXYZ0189',
      ' .-_\n\0',
      '@[`{/:\x7f\x80\xff',
      'é語\u{1f600}\ud800\uffff',
    ];
    for (let round = 0; round < 3_000; round++) {
      const length = round < 200 ? round : Math.floor(random() * 700);
      const odd = random() < 0.5 ? 0 : 0.1;
      const gap = random() * 0.5;
      const units = Array.from({ length }, () => {
        const kind = random() < odd ? 2 + Math.floor(random() * 2) : random() < gap ? 1 : 0;
        return pick(kinds[kind] ?? '');
      });
      const text = units.join('');
      const found = withoutUnusedKeys(wordsBy(splitter, text));
      expect(found, JSON.stringify(text)).toEqual(expectedWords(text));
    }
  });

  it.each([
    ['WebAssembly', wasmSplitter],
    ['JavaScript', plainSplitter],
  ])('%s finds those of a text of the greatest size', (_, make) => {
    const splitter = make();
    for (const text of ['a', 'a ', ' a', 'ab1 é', 'abcdefghijklm ']) {
      const long = text.repeat(splitter.mostUnits).slice(0, splitter.mostUnits);
      expect(withoutUnusedKeys(wordsBy(splitter, long))).toEqual(expectedWords(long));
    }
  });
});
