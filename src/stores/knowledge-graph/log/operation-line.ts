/**
 * One operation as one line, the same in the log and in the snapshot (there with a comma at the end):
 *
 *   {"s":"Ada","p":"knows","o":"Charles","at":1764000000000,"id":"0123456789abcdef","sum":"1a2b3c4d"}
 *
 * `sum` is the CRC-32 of the bytes before `,"sum"`; it detects every change of up to four adjacent bytes.
 * `op` is present if it is not `add`; `ts` and `validTo` are present if they differ from `at`. A line
 * without `sum` was written by hand. It may have only known fields, so that a damaged line is not taken
 * for one. docs/FORMAT.md has the whole contract.
 */

import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { AppError } from '../../../base/errors.js';
import { sha256Hex } from '../../../base/ids.js';
import { parsedJson } from '../../../base/json.js';
import { isRecord } from '../../../base/json-fields.js';
import {
  isPart,
  isTime,
  type Operation,
  type Origin,
  originOf,
  type TripleKey,
} from '../model/triple.js';

export const FORMAT = 'daybook-kg';
const FORMAT_VERSION = 1;
const OPEN = Number.POSITIVE_INFINITY;
const SUM_MARK = ',"sum":"';
export const SUM_BYTES = SUM_MARK.length + '00000000"}'.length;
const ID = /^[0-9a-f]{16}$/;
const KNOWN = new Set(
  'op s p o subject predicate object at ts validTo id conversationId messageId'.split(' '),
);

export type LineContent =
  | { readonly kind: 'operation'; readonly key: TripleKey; readonly operation: Operation }
  | { readonly kind: 'head'; readonly follows: string | undefined }
  | { readonly kind: 'closing' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'damaged' };

const NOTHING: LineContent = { kind: 'nothing' };
const CLOSING: LineContent = { kind: 'closing' };
const DAMAGED: LineContent = { kind: 'damaged' };

function encodeId({ hi, lo }: { hi: number; lo: number }): string {
  return hi.toString(16).padStart(8, '0') + lo.toString(16).padStart(8, '0');
}

export function encodeOperation(key: TripleKey, operation: Operation): string {
  const { kind, at, ts, validTo, origin } = operation;
  const s = JSON.stringify(key.subject);
  const p = JSON.stringify(key.predicate);
  const o = JSON.stringify(key.object);
  let text = `{"s":${s},"p":${p},"o":${o},`;
  if (kind !== 'add') text += `"op":"${kind}",`;
  text += `"at":${at},"id":"${encodeId(operation)}"`;
  if (kind === 'add' && ts !== at) text += `,"ts":${ts}`;
  if (kind !== 'delete' && validTo !== (kind === 'add' ? OPEN : at))
    text += `,"validTo":${validTo}`;
  if (origin !== undefined) text += `,${JSON.stringify(origin).slice(1, -1)}`;
  return withSum(text);
}

/** The first line of a log. `follows`: the first 16 digits of the SHA-256 of its snapshot. */
export function encodeHead(follows: string | undefined): string {
  const name = follows === undefined ? '' : `,"follows":"${follows}"`;
  return withSum(`{"format":"${FORMAT}","version":${FORMAT_VERSION}${name}`);
}

/** The first and the last line of a snapshot, which is one JSON array. */
export const SNAPSHOT_OPENING = `[${encodeHead(undefined)},`;
export const SNAPSHOT_CLOSING = '{}]';

/** Adds the checksum and the closing brace to the text of an object. */
export function withSum(text: string): string {
  return `${text}${SUM_MARK}${crc32(text).toString(16).padStart(8, '0')}"}`;
}

/** Returns the end of the checked text if the line has a correct checksum; otherwise -1. */
export function checkedEnd(bytes: Buffer, from: number, to: number): number {
  const end = to - SUM_BYTES;
  if (end <= from || bytes[to - 1] !== 0x7d || bytes[to - 2] !== 0x22) return -1;
  for (let index = 0; index < SUM_MARK.length; index += 1) {
    if (bytes[end + index] !== SUM_MARK.charCodeAt(index)) return -1;
  }
  const sum = hexAt(bytes, to - 10);
  return sum !== -1 && crc32(bytes.subarray(from, end)) === sum ? end : -1;
}

/** Returns the value of eight hexadecimal digits in lower case; -1 if there is any other byte. */
export function hexAt(bytes: Buffer, from: number): number {
  let value = 0;
  for (let at = from; at < from + 8; at += 1) {
    const digit = digitOf(bytes[at] ?? 0);
    if (digit === -1) return -1;
    value = (value << 4) | digit;
  }
  return value >>> 0;
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
}

/** Parses any line, without its line feed and comma. FORMAT_TOO_NEW for the head of a later format. */
export function readLine(bytes: Buffer, from: number, to: number, path: string): LineContent {
  const isOpening = bytes[from] === 0x5b;
  const start = isOpening ? from + 1 : from;
  const text = bytes.toString('utf8', start, to);
  if (text === '') return NOTHING;
  if (text === SNAPSHOT_CLOSING || text === ']') return CLOSING;
  if (!isUtf8(bytes.subarray(start, to))) return DAMAGED;
  const isChecked = checkedEnd(bytes, start, to) !== -1;
  const value = parsedJson(text);
  if (!isRecord(value) || (!isChecked && 'sum' in value)) return DAMAGED;
  if ('format' in value) return isChecked ? readHead(value, path) : DAMAGED;
  if (!isChecked && Object.keys(value).some((name) => !KNOWN.has(name))) return DAMAGED;
  return readOperation(value, text);
}

function readHead(
  { format, version, follows }: Record<string, unknown>,
  path: string,
): LineContent {
  if (format !== FORMAT) return DAMAGED;
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw new AppError('FORMAT_TOO_NEW', `${path} has format version ${version}.`, {
      details: { path, formatVersion: version },
    });
  }
  return { kind: 'head', follows: typeof follows === 'string' ? follows : undefined };
}

function readOperation(value: Record<string, unknown>, text: string): LineContent {
  const key = {
    subject: value['s'] ?? value['subject'],
    predicate: value['p'] ?? value['predicate'],
    object: value['o'] ?? value['object'],
  };
  const kind = value['op'] ?? 'add';
  const given = timeOf(value['ts']);
  const at = timeOf(value['at']) ?? given ?? 0;
  const until = timeOf(value['validTo']);
  const [ts, end] = [given ?? at, until ?? (kind === 'add' ? OPEN : at)];
  const isSound =
    isPart(key.subject) &&
    isPart(key.predicate) &&
    isPart(key.object) &&
    !(end < ts && kind === 'add');
  const areTimes = [value['at'], value['ts'], value['validTo']].every(
    (time) => time === undefined || timeOf(time) !== undefined,
  );
  if (!isSound || !areTimes || !isKind(kind)) return DAMAGED;
  const operation: Operation = {
    kind,
    at,
    ...idOf(value['id'], text),
    ts: kind === 'add' ? ts : at,
    validTo: end,
    origin: kind === 'add' ? originIn(value) : undefined,
  };
  return { kind: 'operation', key: key as TripleKey, operation };
}

const isKind = (kind: unknown): kind is Operation['kind'] =>
  kind === 'add' || kind === 'close' || kind === 'delete';

function originIn({ conversationId, messageId }: Record<string, unknown>): Origin | undefined {
  return originOf({
    ...(isPart(conversationId) && { conversationId }),
    ...(isPart(messageId) && { messageId }),
  });
}

/** A time in milliseconds, or in a line written by hand a text that `Date` can parse. */
function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return isTime(time) ? time : undefined;
}

/** If a line has no valid id, its id is a hash of its text, so that every process gives it the same id. */
function idOf(id: unknown, text: string): { hi: number; lo: number } {
  const digits = typeof id === 'string' && ID.test(id) ? id : sha256Hex(text).slice(0, 16);
  return { hi: Number.parseInt(digits.slice(0, 8), 16), lo: Number.parseInt(digits.slice(8), 16) };
}
