/**
 * A text and what stands in its place, for files of every form. In JSON a text may be written with
 * escapes, so its usual form is replaced first, which leaves the rest of the file as it is; where the
 * text is still read then, the values are replaced and the file is written again.
 */
import { isRecord } from '../base/is-record.js';
import { redactedGraphLines } from '../stores/knowledge-graph/log/redacted-lines.js';
import { textsIn } from './screen.js';

export class Redaction {
  readonly #text: string;
  readonly #replacement: string;

  constructor(text: string, replacement: string) {
    this.#text = text;
    this.#replacement = replacement;
  }

  /** How often the text is in the bytes of a file, in any spelling. */
  countIn(bytes: Uint8Array): number {
    const raw = textOf(bytes);
    const escaped = escapedOf(this.#text);
    const inEscapes = escaped === this.#text ? 0 : countOf(raw, escaped);
    const total = countOf(raw, this.#text) + inEscapes;
    return total > 0 ? total : this.#countInValues(raw);
  }

  /** The bytes without the text. `isGraph`: lines of the knowledge graph, which have checksums. */
  apply(bytes: Uint8Array, { isGraph = false } = {}): Buffer {
    const raw = textOf(bytes);
    const lines = isGraph ? redactedGraphLines(raw, this.#in) : raw;
    const plain = this.#in(
      lines.replaceAll(escapedOf(this.#text), () => escapedOf(this.#replacement)),
    );
    if (this.#countInValues(plain) === 0) return bytesOf(plain);
    const values = valuesIn(plain);
    const texts = values.map((value) =>
      JSON.stringify(this.#value(value), null, values.length === 1 ? 2 : 0),
    );
    return bytesOf(`${texts.join('\n')}\n`);
  }

  readonly #in = (text: string): string => text.replaceAll(this.#text, () => this.#replacement);

  #countInValues(raw: string): number {
    if (!raw.includes('\\')) return 0; // without an escape the values read as they are written
    const texts = valuesIn(raw).flatMap(textsIn);
    return texts.reduce((sum, text) => sum + countOf(text, this.#text), 0);
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.#in(value);
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [this.#in(key), this.#value(field)]),
    );
  }
}

/** One character a byte where the bytes are no UTF-8, so that they stay what they are. */
function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString();
  return Buffer.from(text).equals(bytes) ? text : LATIN + Buffer.from(bytes).toString('latin1');
}

/** Marks a text whose characters are bytes; no file begins with it. */
const LATIN = '\ufdd0';

const bytesOf = (text: string) =>
  text.startsWith(LATIN) ? Buffer.from(text.slice(1), 'latin1') : Buffer.from(text);

const escapedOf = (text: string) => JSON.stringify(text).slice(1, -1);

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    count += 1;
  }
  return count;
}

/** One JSON document, or one a line; none where a line is neither. */
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
