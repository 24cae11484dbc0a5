/**
 * Parses JSON-RPC messages for both transports: strict UTF-8, one message or a batch. Limits prevent one
 * request from blocking the process: very deep nesting would overflow the stack of recursive functions,
 * and millions of values would take many seconds.
 */
import {
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { RpcError } from './errors/rpc-error.js';

/** More than any tool needs, and less than the stack allows. */
const MAX_DEPTH = 500;
const MAX_BATCH = 100;
/** Objects, arrays and their members together: they take about half a second. */
const MAX_PARTS = 500_000;
/** Keys of one object, because zod processes each key several times. */
const MAX_KEYS = 10_000;

/**
 * One message, or the messages of a batch. Throws RpcError -32700 for invalid JSON and -32600 for an
 * invalid message, with the id of the request if it has one.
 */
export function parseMessages(bytes: Uint8Array): JSONRPCMessage | JSONRPCMessage[] {
  if (hasTooManyParts(bytes)) throw invalid(`it has more than ${MAX_PARTS} values`);
  const value = parseJson(bytes);
  try {
    return checked(value);
  } catch (error) {
    const { code, message } = error as RpcError;
    throw new RpcError(code, message, undefined, idOf(value));
  }
}

function checked(value: unknown): JSONRPCMessage | JSONRPCMessage[] {
  const messages = Array.isArray(value) ? value : [value];
  if (messages.length > MAX_BATCH) throw invalid(`a batch has at most ${MAX_BATCH} messages`);
  // This check is first, because the schema copies each object key by key.
  checkShape(messages);
  const isRpc = (each: unknown) => JSONRPCMessageSchema.safeParse(each).success;
  if (messages.length === 0 || !messages.every(isRpc)) {
    throw invalid('it is not a JSON-RPC 2.0 message');
  }
  return value as JSONRPCMessage | JSONRPCMessage[];
}

/** The id of an invalid request, so that its sender stops waiting; null for other messages. */
function idOf(value: unknown): RequestId | null {
  const { id, method } = (value ?? {}) as { id?: unknown; method?: unknown };
  const isId = typeof id === 'string' || Number.isInteger(id);
  return isId && method !== undefined ? (id as RequestId) : null;
}

const invalid = (reason: string) =>
  new RpcError(ErrorCode.InvalidRequest, `Invalid request: ${reason}.`);

/** Counts brackets, braces and commas outside of strings, before JSON.parse makes values of them. */
function hasTooManyParts(bytes: Uint8Array): boolean {
  const { byteLength } = bytes; // reading it for each byte would take longer than the comparison
  if (byteLength <= MAX_PARTS) return false;
  let parts = 0;
  let isString = false;
  for (let at = 0; at < byteLength; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) isString = !isString;
    else if (isString && byte === BACKSLASH) at += 1;
    else if (!isString && (byte === BRACE || byte === BRACKET || byte === COMMA)) parts += 1;
  }
  return parts > MAX_PARTS;
}

const [QUOTE, BACKSLASH, BRACE, BRACKET, COMMA] = Buffer.from('"\\{[,');

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RpcError(ErrorCode.ParseError, 'Parse error: the message is not JSON in UTF-8.');
  }
}

/** Checks level by level, because recursion would overflow the stack with a deeply nested value. */
function checkShape(value: readonly unknown[]): void {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw invalid(`it is nested deeper than ${MAX_DEPTH} levels`);
    const below: object[] = [];
    for (const each of level) {
      const inner = Array.isArray(each) ? each : Object.values(each);
      if (inner.length > MAX_KEYS && !Array.isArray(each)) {
        throw invalid(`one of its objects has more than ${MAX_KEYS} keys`);
      }
      for (const one of inner) if (typeof one === 'object' && one !== null) below.push(one);
    }
    level = below;
  }
}
