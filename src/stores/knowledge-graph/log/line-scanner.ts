/**
 * Reads bytes line by line and applies the operations to a table. Almost every line is an `add` in exactly
 * the form that Daybook writes: its parts are interned as bytes, without strings. All other lines are parsed
 * by the general reader (operation-line.ts).
 */
import { LATEST_TIME } from '../../../base/clock.js';
import { jsonTextsIn } from '../../../base/json.js';
import { isSealedLine, openLine } from '../../../files/sealing/sealed-form.js';
import type { Operation } from '../model/triple.js';
import type { TripleTable } from '../table/triple-table.js';
import { checkedEnd, hexAt, readLine, SUM_BYTES } from './operation-line.js';
import { isTornLine } from './torn-line.js';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SUBJECT = Buffer.from('{"s":"');
const PREDICATE = Buffer.from('","p":"');
const OBJECT = Buffer.from('","o":"');
const AT = Buffer.from('","at":');
const ID = Buffer.from(',"id":"');
const MAX_PART_BYTES = 200;
const SUM = /,"sum":"[0-9a-f]{8}"\}/g;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export interface DamagedLine {
  /** The line number; the first line is 1. */
  readonly line: number;
  readonly text: string;
}

export class LineScanner {
  readonly #table: TripleTable;
  readonly #path: string;
  readonly #isTrusted: boolean;
  readonly #key = { s: 0, p: 0, o: 0 };
  readonly #operation: Writable<Operation> = {
    kind: 'add',
    at: 0,
    hi: 0,
    lo: 0,
    ts: 0,
    validTo: Number.POSITIVE_INFINITY,
    origin: undefined,
  };
  /** Whether `#key.s` is the subject of the last line. */
  #isSubjectLast = false;
  readonly damaged: DamagedLine[] = [];
  /** The snapshots that are named in the heads of the log. */
  readonly follows = new Set<string>();
  /** Whether the first head names a snapshot. Later heads can be of logs that were appended. */
  continuesSnapshot: boolean | undefined;
  /** Whether the last line that is not empty is the end of a snapshot. */
  isClosed = false;
  lines = 0;
  operations = 0;
  /** The subjects whose facts changed. They are collected only if this is set. */
  changed: Set<number> | undefined;

  /**
   * `isTrusted`: the checksum of the whole file is correct, so the checksums of the lines are not checked.
   */
  constructor(table: TripleTable, path: string, isTrusted = false) {
    this.#table = table;
    this.#path = path;
    this.#isTrusted = isTrusted;
  }

  /**
   * Reads one line, without its line feed. Returns false for an incomplete last line of a log, which is
   * still being written or was interrupted by a crash. Any other invalid line is added to `damaged`.
   */
  scan(bytes: Buffer, start: number, end: number, isLastOfLog = false): boolean {
    this.lines += 1;
    const to = trimmedEnd(bytes, start, end);
    if (to === start) return true;
    this.isClosed = false;
    if (isSealedLine(bytes, start)) return this.#scanSealed(bytes, start, to, isLastOfLog);
    if (this.#scanAddition(bytes, start, to)) return true;
    // After a power cut, the end of a line that was being appended can be zeros.
    const sound = bytes.subarray(start, to).indexOf(0);
    const cut = sound === -1 ? to : trimmedEnd(bytes, start, start + sound);
    const from = hasMark(bytes, start) ? start + 3 : start;
    if (this.#scanOther(bytes, from, cut) && sound === -1) return true;
    const joined = this.#scanJoined(bytes, start, to);
    if (joined.isComplete) return true;
    if (isLastOfLog && joined.count === 0 && isTornLine(bytes, start, to)) {
      this.lines -= 1;
      return false;
    }
    this.damaged.push({ line: this.lines, text: bytes.toString('utf8', start, to) });
    return true;
  }

  /** One sealed line may contain several lines. They all count as this one line of the file. */
  #scanSealed(bytes: Buffer, start: number, to: number, isLastOfLog: boolean): boolean {
    const text = bytes.toString('latin1', start, to);
    const opened = openLine(text, this.#path);
    const number = this.lines;
    if (opened === undefined) {
      const isTorn = isLastOfLog && isTornLine(bytes, start, to);
      if (!isTorn) this.damaged.push({ line: number, text });
      this.lines -= isTorn ? 1 : 0;
      return !isTorn;
    }
    for (let from = 0; from < opened.length; ) {
      const end = opened.indexOf(LINE_FEED, from);
      const next = end === -1 ? opened.length : end;
      this.scan(opened, from, next);
      from = next + 1;
    }
    this.lines = number;
    return true;
  }

  #scanAddition(bytes: Buffer, start: number, to: number): boolean {
    if (!isAt(bytes, start, SUBJECT)) return false;
    const s = start + SUBJECT.length;
    const sEnd = endOfText(bytes, s);
    const p = sEnd + PREDICATE.length;
    if (sEnd <= s || !isAt(bytes, sEnd, PREDICATE)) return false;
    const pEnd = endOfText(bytes, p);
    const o = pEnd + OBJECT.length;
    if (pEnd <= p || !isAt(bytes, pEnd, OBJECT)) return false;
    const oEnd = endOfText(bytes, o);
    if (oEnd <= o || !isAt(bytes, oEnd, AT)) return false;
    const checked = this.#isTrusted ? to - SUM_BYTES : checkedEnd(bytes, start, to);
    if (checked === -1 || !this.#readTail(bytes, oEnd + AT.length, checked)) return false;
    const { terms } = this.#table;
    // A snapshot is sorted by subject.
    const isSame = this.#isSubjectLast && terms.equals(this.#key.s, bytes, s, sEnd);
    if (!isSame) this.#key.s = terms.internBytes(bytes, s, sEnd);
    this.#isSubjectLast = true;
    this.#key.p = terms.internBytes(bytes, p, pEnd);
    this.#key.o = terms.internBytes(bytes, o, oEnd);
    this.#apply(this.#operation);
    return true;
  }

  /** Reads the time and the id. Returns false if anything else follows. */
  #readTail(bytes: Buffer, from: number, to: number): boolean {
    let at = 0;
    let position = from;
    for (
      let byte = bytes[position] ?? 0;
      byte >= 0x30 && byte <= 0x39;
      byte = bytes[position] ?? 0
    ) {
      at = at * 10 + byte - 0x30;
      position += 1;
    }
    const id = position + ID.length;
    if (position === from || at > LATEST_TIME || !isAt(bytes, position, ID)) return false;
    if (id + 17 !== to || bytes[to - 1] !== QUOTE) return false;
    const [hi, lo] = [hexAt(bytes, id), hexAt(bytes, id + 8)];
    if (hi === -1 || lo === -1) return false;
    this.#operation.at = at;
    this.#operation.ts = at;
    this.#operation.hi = hi;
    this.#operation.lo = lo;
    return true;
  }

  #scanOther(bytes: Buffer, from = 0, to = bytes.length): boolean {
    const content = readLine(bytes, from, to, this.#path);
    this.isClosed = content.kind === 'closing';
    if (content.kind === 'head') {
      this.continuesSnapshot ??= content.follows !== undefined;
      if (content.follows !== undefined) this.follows.add(content.follows);
    }
    if (content.kind === 'operation') {
      const { subject, predicate, object } = content.key;
      const { terms } = this.#table;
      this.#key.s = terms.intern(subject);
      this.#key.p = terms.intern(predicate);
      this.#key.o = terms.intern(object);
      this.#apply(content.operation);
    }
    return content.kind !== 'damaged';
  }

  #apply(operation: Operation): void {
    this.operations += 1;
    if (this.#table.apply(this.#key, operation)) this.changed?.add(this.#key.s);
  }

  /**
   * Reads valid lines that are joined because the line feed between them is damaged or missing. Returns the
   * number of their operations, and whether the line has nothing else.
   */
  #scanJoined(bytes: Buffer, start: number, to: number): { count: number; isComplete: boolean } {
    const before = this.operations;
    const text = bytes.toString('latin1', start, to);
    let from = 0;
    let isComplete = true;
    for (const { index, 0: sum } of text.matchAll(SUM)) {
      const end = index + sum.length;
      // A snapshot begins with `[`: it may follow the last line of a log.
      const opening = text[from] === '[' ? 1 : 0;
      const isLine = checkedEnd(bytes, start + from + opening, start + end) !== -1;
      // This text cannot occur inside a part, because quotes are escaped there.
      const begin = isLine ? opening : text.slice(from, index).lastIndexOf('{"s":');
      const first = start + from + begin;
      if (begin !== -1 && checkedEnd(bytes, first, start + end) !== -1) {
        this.#scanOther(bytes, first, start + end);
      }
      isComplete &&= isLine;
      from = end;
    }
    // Lines that a person appended to a log that does not end with a line feed.
    const added = jsonTextsIn(text.slice(from));
    if (from === 0 && added.length < 2) return { count: 0, isComplete: false };
    for (const line of added)
      isComplete = this.#scanOther(Buffer.from(line, 'latin1')) && isComplete;
    return { count: this.operations - before, isComplete };
  }
}

const hasMark = (bytes: Buffer, at: number) =>
  bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;

/** Returns the end without spaces, a carriage return and the comma of a snapshot. */
function trimmedEnd(bytes: Buffer, start: number, end: number): number {
  let to = end;
  const isSpace = () => bytes[to - 1] === 0x20 || bytes[to - 1] === 0x0d || bytes[to - 1] === 0x09;
  while (to > start && isSpace()) to -= 1;
  if (to > start && bytes[to - 1] === 0x2c) to -= 1;
  return to;
}

function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index += 1) {
    if (bytes[at + index] !== expected[index]) return false;
  }
  return true;
}

/** Returns the offset of the closing quote; -1 if the string has escapes or control characters. */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = from; at <= from + MAX_PART_BYTES; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at;
    // The general reader parses strings with escapes.
    if (byte === BACKSLASH || byte < 0x20) return -1;
  }
  return -1;
}
