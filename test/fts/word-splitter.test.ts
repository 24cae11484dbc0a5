/** The words of a text and their keys: WebAssembly and JavaScript find the same, as a regular expression does. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { keyOf, MAX_KEYED } from '../../src/fts/terms/term-keys.js';
import {
  plainSplitter,
  WITHOUT_KEY,
  WORD,
  type WordSplitter,
  wasmSplitter,
} from '../../src/fts/tokenizing/word-splitter.js';
import { seededRandom } from '../support/seeded-random.js';

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

  it.runIf(process.platform === 'linux')('are found without memory for WebAssembly', () => {
    const index = new URL('../../dist/fts/text-index.js', import.meta.url);
    const script = `
      import { createTextIndex } from '${index.href}';
      let error = 'none';
      try { new WebAssembly.Memory({ initial: 1 }); } catch ({ name }) { error = name; }
      const index = createTextIndex({ columns: ['content'] });
      index.put(7, { content: 'Paint the larch-wood façade' });
      const ids = index.search('"larch wood facade"', { limit: 5 }).hits.map(({ id }) => id);
      console.log(error, ...ids);`;
    const limited = 'ulimit -v 8000000 && exec "$0" --input-type=module -e "$1"';
    const found = execFileSync('sh', ['-c', limited, process.execPath, script], {
      encoding: 'utf8',
    });
    expect(found.trim()).toBe('RangeError 7');
  });
});
