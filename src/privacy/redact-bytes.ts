/**
 * Replaces a text in the bytes of any file. In JSON and in the lines of the knowledge graph, only values change
 * (redact-json.ts). In any other file the text is replaced in three forms: as it is, with the escapes of JSON,
 * and escaped twice, because a JSON document can be a string in another JSON document.
 */
import { parsedJson } from '../base/json.js';
import { redactedGraphLine } from '../stores/knowledge-graph/log/redacted-lines.js';
import { redactedJson } from './redact-json.js';

const LINE_FEED = Buffer.from('\n');

export class Redaction {
  readonly #text: string;
  readonly #replacement: string;
  /** The forms of the text in a file, each with its replacement. The one with the most escapes comes first. */
  readonly #forms = new Map<string, string>();

  constructor(text: string, replacement: string) {
    this.#text = text;
    this.#replacement = replacement;
    const [once, other] = [escapedOf(text), escapedOf(replacement)];
    this.#forms.set(escapedOf(once), escapedOf(other)).set(once, other).set(text, replacement);
  }

  /** Returns how often `apply` would replace the text. */
  countIn(bytes: Uint8Array, { isGraph = false } = {}): number {
    return this.#run(bytes, isGraph).count;
  }

  /** Replaces the text. `isGraph`: lines of the knowledge graph, which have checksums. */
  apply(bytes: Uint8Array, { isGraph = false } = {}): Buffer {
    return this.#run(bytes, isGraph).bytes;
  }

  #run(given: Uint8Array, isGraph: boolean): { bytes: Buffer; count: number } {
    const bytes = Buffer.from(given);
    const found = new Counter();
    const isJson = (text: string) =>
      /^\s*[[{]/.test(text) && parsedJson(text.replace(/^\ufeff/, '')) !== undefined;
    if (!this.#mayContain(bytes)) return { bytes, count: 0 };
    if (isGraph) {
      const redact = (part: string) => this.#inValue(part, found);
      // A line that is not UTF-8 must not change how the others are read.
      const lines = linesOf(bytes).map((line) => {
        const raw = textOf(line);
        return bytesOf(redactedGraphLine(raw, redact) ?? this.#inText(raw, found));
      });
      return { bytes: joined(lines), count: found.count };
    }
    const json = {
      in: (value: string) => this.#inValue(value, found),
      is: (value: string) => value === this.#text,
    };
    const raw = textOf(bytes);
    const isDocument = isJson(raw);
    const parts = isDocument ? [raw] : raw.split('\n');
    const isAllJson = isDocument || parts.every((line) => line.trim() === '' || isJson(line));
    const redacted = isAllJson
      ? parts.map((part) => redactedJson(part, json)).join('\n')
      : this.#inText(raw, found);
    return { bytes: bytesOf(redacted), count: found.count };
  }

  /** With a backslash, the text may be written with escapes. */
  #mayContain(bytes: Buffer): boolean {
    return bytes.includes(this.#text) || bytes.includes('\\');
  }

  /** `value`: a text without escapes, which may be JSON itself. */
  #inValue(value: string, found: Counter): string {
    const once = escapedOf(this.#text);
    const redacted = found.replaceAll(value, once, escapedOf(this.#replacement));
    return once === this.#text
      ? redacted
      : found.replaceAll(redacted, this.#text, this.#replacement);
  }

  /** `raw`: any text, which may contain JSON. */
  #inText(raw: string, found: Counter): string {
    let redacted = raw;
    for (const [form, replacement] of this.#forms)
      redacted = found.replaceAll(redacted, formIn(raw, form), formIn(raw, replacement));
    return redacted;
  }
}

class Counter {
  count = 0;

  replaceAll(text: string, part: string, replacement: string): string {
    return text.replaceAll(part, () => {
      this.count += 1;
      return replacement;
    });
  }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; ; ) {
    const end = bytes.indexOf(LINE_FEED, start);
    lines.push(bytes.subarray(start, end === -1 ? undefined : end));
    if (end === -1) return lines;
    start = end + 1;
  }
}

const joined = (lines: readonly Buffer[]): Buffer =>
  Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [LINE_FEED, line])));

/** Bytes that are not UTF-8 become one character each, so that they can be restored. */
function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString();
  return Buffer.from(text).equals(bytes) ? text : LATIN + Buffer.from(bytes).toString('latin1');
}

/** The prefix of a text whose characters are bytes. No file begins with this noncharacter. */
const LATIN = '\ufdd0';

/** The text as it is in `raw`, a result of `textOf`. */
const formIn = (raw: string, text: string) =>
  raw.startsWith(LATIN) ? Buffer.from(text).toString('latin1') : text;

const bytesOf = (text: string) =>
  text.startsWith(LATIN) ? Buffer.from(text.slice(1), 'latin1') : Buffer.from(text);

const escapedOf = (text: string) => JSON.stringify(text).slice(1, -1);
