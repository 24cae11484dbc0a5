/**
 * Finds the words of a text and their keys: runs of ASCII letters and digits, and of characters outside ASCII.
 * The work is done by WebAssembly (split-words.wat), which reads 16 characters at a time. Where WebAssembly
 * has no memory (it reserves 10 GB of addresses) or the processor lacks its instructions, the same is done here.
 */
import { webAssembly } from '../../base/web-assembly.js';
import { HALF_KEY, KEY_BASE, KEY_DIGITS, MAX_KEYED } from '../terms/term-keys.js';
import { SPLIT_WORDS } from './split-words-wasm.js';

/** The second number of a word without a unique key; no key has it. */
export const WITHOUT_KEY = -3;
/** Numbers for each word: start, end, and the two numbers of its key. */
export const WORD = 4;

export interface WordSplitter {
  /** The text, of at most `mostUnits` UTF-16 units. `split` writes spaces after it. */
  readonly units: Uint16Array;
  readonly mostUnits: number;
  /** See WORD. */
  readonly words: Int32Array;
  /** Finds the words of the first `length` units and returns their number. */
  split(length: number): number;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly mostUnits: { readonly value: number };
  readonly words: { readonly value: number };
  split(length: number): number;
}

/** Throws if WebAssembly cannot be used here. */
export function wasmSplitter(): WordSplitter {
  const module = new webAssembly.Module(Buffer.from(SPLIT_WORDS, 'base64'));
  const { exports } = new webAssembly.Instance(module);
  const { memory, split, mostUnits, words } = exports as unknown as Exports;
  return {
    units: new Uint16Array(memory.buffer, 0, mostUnits.value + 1),
    mostUnits: mostUnits.value,
    words: new Int32Array(memory.buffer, words.value),
    split,
  };
}

const LAST_ASCII = 127;
const SPACE_CODE = 0x20;
const PLAIN_UNITS = 2 ** 15;

export const isInWord = (unit: number) => unit > LAST_ASCII || KEY_DIGITS[unit] !== 0;

export function plainSplitter(): WordSplitter {
  const units = new Uint16Array(PLAIN_UNITS + 1);
  const words = new Int32Array(WORD * (PLAIN_UNITS / 2 + 1));
  const split = (length: number) => {
    let count = 0;
    units[length] = SPACE_CODE;
    for (let at = 0; at < length; at++) {
      const start = at;
      const key = [0, 0];
      let isKeyed = true;
      for (; isInWord(units[at] ?? 0); at++) {
        const digit = KEY_DIGITS[units[at] ?? 0] ?? 0;
        isKeyed &&= digit !== 0 && at - start < MAX_KEYED;
        const half = at - start < HALF_KEY ? 0 : 1;
        key[half] = Math.imul(key[half] ?? 0, KEY_BASE) + digit;
      }
      if (at > start)
        words.set([start, at, key[0] ?? 0, isKeyed ? (key[1] ?? 0) : WITHOUT_KEY], WORD * count++);
    }
    return count;
  };
  return { units, mostUnits: PLAIN_UNITS, words, split };
}

let splitter: WordSplitter | undefined;

/** The splitter of this process. Its words are valid until its next call. */
export function wordSplitter(): WordSplitter {
  if (splitter !== undefined) return splitter;
  try {
    splitter = wasmSplitter();
  } catch {
    splitter = plainSplitter();
  }
  return splitter;
}
