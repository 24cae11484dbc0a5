/**
 * Replaces a text in the bytes of any file. In JSON the text may be written with escapes. First its usual
 * forms are replaced, so that the rest of the file does not change. If a JSON value still contains the text
 * (with unusual escapes), the values are replaced and the whole file is serialised again.
 */
import { isRecord } from '../base/json-fields.js';
import { redactedGraphLines } from '../stores/knowledge-graph/log/redacted-lines.js';
import { allTextsIn } from './message-screen.js';

export class Redaction {
  readonly #text: string;
  readonly #replacement: string;

  constructor(text: string, replacement: string) {
    this.#text = text;
    this.#replacement = replacement;
  }

  /** Returns how often the text occurs in the bytes of a file, with and without escapes. */
  countIn(bytes: Uint8Array): number {
    const raw = textOf(bytes);
    const escaped = escapedOf(this.#text);
    const inEscapes = escaped === this.#text ? 0 : occurrencesOf(raw, escaped);
    const total = occurrencesOf(raw, this.#text) + inEscapes;
    return total > 0 ? total : this.#countInValues(raw);
  }

  /** Replaces the text. `isGraph`: lines of the knowledge graph, which have checksums. */
  apply(bytes: Uint8Array, { isGraph = false } = {}): Buffer {
    const raw = textOf(bytes);
    const lines = isGraph ? redactedGraphLines(raw, this.#redacted) : raw;
    const plain = this.#redacted(
      lines.replaceAll(escapedOf(this.#text), () => escapedOf(this.#replacement)),
    );
    if (this.#countInValues(plain) === 0) return bytesOf(plain);
    const values = valuesIn(plain);
    const texts = values.map((value) =>
      JSON.stringify(this.#redactedValue(value), null, values.length === 1 ? 2 : 0),
    );
    return bytesOf(`${texts.join('\n')}\n`);
  }

  readonly #redacted = (text: string): string =>
    text.replaceAll(this.#text, () => this.#replacement);

  #countInValues(raw: string): number {
    if (!raw.includes('\\')) return 0; // without escapes, the text was already found in the bytes
    const texts = valuesIn(raw).flatMap(allTextsIn);
    return texts.reduce((sum, text) => sum + occurrencesOf(text, this.#text), 0);
  }

  #redactedValue(value: unknown): unknown {
    if (typeof value === 'string') return this.#redacted(value);
    if (Array.isArray(value)) return value.map((item) => this.#redactedValue(item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [
        this.#redacted(key),
        this.#redactedValue(field),
      ]),
    );
  }
}

/** Bytes that are not UTF-8 become one character each, so that they can be restored. */
function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString();
  return Buffer.from(text).equals(bytes) ? text : LATIN + Buffer.from(bytes).toString('latin1');
}

/** The prefix of a text whose characters are bytes. No file begins with this noncharacter. */
const LATIN = '\ufdd0';

const bytesOf = (text: string) =>
  text.startsWith(LATIN) ? Buffer.from(text.slice(1), 'latin1') : Buffer.from(text);

const escapedOf = (text: string) => JSON.stringify(text).slice(1, -1);

function occurrencesOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    count += 1;
  }
  return count;
}

/** Returns the value of a JSON document, or the values of JSON Lines; an empty list for any other text. */
function valuesIn(raw: string): unknown[] {
  const whole = parsed(raw);
  if (whole !== undefined) return [whole.value];
  const lines = raw.split('\n').filter((line) => line.trim() !== '');
  const values = lines.flatMap((line) => parsed(line) ?? []);
  return values.length === lines.length ? values.map(({ value }) => value) : [];
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined; // the parser throws only for invalid JSON
  }
}
