/**
 * The body of a request, as JSON-RPC: read up to a limit, decoded strictly, and refused where it is
 * nested so deeply that recursion over it would overflow the stack, or made of so many parts that
 * other clients would wait for it.
 */
import type { IncomingMessage } from 'node:http';
import {
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Refusal } from './refusal.js';

/** Far more than anything that is meant, far less than the stack holds. */
const MAX_DEPTH = 500;
const MAX_BATCH = 100;
/** Objects and lists; half a second of work, where nothing but texts may be as long as the limit. */
const MAX_PARTS = 500_000;
const INVALID = { code: ErrorCode.InvalidRequest };

/** One message, or the several of a batch. Throws Refusal: 413, 415, 400. */
export async function readMessages(
  req: IncomingMessage,
  maxBytes: number,
): Promise<JSONRPCMessage | JSONRPCMessage[]> {
  const bytes = await readBytes(req, maxBytes);
  if (partsOf(bytes) > MAX_PARTS) {
    const message = `Invalid request: more than ${MAX_PARTS} objects and lists.`;
    throw new Refusal(400, message, INVALID);
  }
  const value = parse(bytes);
  const messages = Array.isArray(value) ? value : [value];
  if (messages.length > MAX_BATCH) {
    const message = `Invalid request: a batch of more than ${MAX_BATCH} messages.`;
    throw new Refusal(400, message, INVALID);
  }
  const isRpc = (each: unknown) => JSONRPCMessageSchema.safeParse(each).success;
  if (messages.length === 0 || !messages.every(isRpc)) {
    throw new Refusal(400, 'Invalid request: not a JSON-RPC 2.0 message.', INVALID);
  }
  if (isDeeperThan(messages, MAX_DEPTH)) {
    throw new Refusal(400, `Invalid request: nested deeper than ${MAX_DEPTH} levels.`, INVALID);
  }
  return value as JSONRPCMessage | JSONRPCMessage[];
}

async function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { 'content-length': declared, 'content-encoding': encoding = 'identity' } = req.headers;
  if (encoding !== 'identity') {
    throw new Refusal(415, 'Compressed requests are not taken: leave Content-Encoding out.');
  }
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not destroy the connection: the refusal goes over it.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): Refusal {
  const limit = `${maxBytes / 1024 / 1024} MB`;
  return new Refusal(413, `The request is larger than ${limit} (DAYBOOK_HTTP_MAX_BODY_MB).`);
}

/** How many objects and lists begin in it, those that a text quotes left out; 0 where they must be few. */
function partsOf(bytes: Buffer): number {
  if (bytes.byteLength <= MAX_PARTS) return 0;
  let parts = 0;
  let isText = false;
  for (let at = 0; at < bytes.byteLength; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText && byte === BACKSLASH) at += 1;
    else if (!isText && (byte === BRACE || byte === BRACKET)) parts += 1;
  }
  return parts;
}

const [QUOTE, BACKSLASH, BRACE, BRACKET] = Buffer.from('"\\{[');

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal(400, 'Parse error: the body is not JSON in UTF-8.', {
      code: ErrorCode.ParseError,
    });
  }
}

/** Level by level, because recursion is what it protects. */
function isDeeperThan(value: object, depth: number): boolean {
  let level = [value];
  for (let at = 0; level.length > 0; at += 1) {
    if (at > depth) return true;
    const below: object[] = [];
    for (const each of level) {
      for (const inner of Array.isArray(each) ? each : Object.values(each)) {
        if (typeof inner === 'object' && inner !== null) below.push(inner);
      }
    }
    level = below;
  }
  return false;
}
