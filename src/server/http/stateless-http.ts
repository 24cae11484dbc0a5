/**
 * The stateless protocol (2026-07-28) over HTTP. Headers repeat values of the body, so that a proxy need
 * not read the body. The answer is JSON, or an event stream if notifications are sent before it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ErrorCode,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { BuiltServer } from '../mcp/build-server.js';
import { RpcError } from '../mcp/errors/rpc-error.js';
import { StatelessExchange } from '../mcp/stateless/stateless-exchange.js';
import {
  checkSupported,
  isListening,
  isStateless,
  requestedVersion,
  STATELESS_VERSION,
} from '../mcp/stateless/stateless-request.js';
import { headerOf } from './headers.js';
import { HttpError } from './http-error.js';
import { ResponseChannel } from './response-channel.js';

const HEADER_MISMATCH = -32020;

/** By method: the parameter that the header `Mcp-Name` repeats. */
const NAMED_BY: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** True for a body that this revision answers; sessions answer all others. */
export function isStatelessHttp(
  req: IncomingMessage,
  body: JSONRPCMessage | JSONRPCMessage[],
): boolean {
  if (headerOf(req, 'mcp-protocol-version') === STATELESS_VERSION) return true;
  return !Array.isArray(body) && isStateless(body);
}

/**
 * Checks the request. Returns `undefined` for a notification, which this revision ignores. Throws
 * HttpError with the id of the request.
 */
export function statelessRequest(
  req: IncomingMessage,
  body: JSONRPCMessage | JSONRPCMessage[],
): JSONRPCRequest | undefined {
  if (Array.isArray(body) || !('method' in body)) {
    const code = ErrorCode.InvalidRequest;
    throw new HttpError(400, 'Invalid request: the body must be one request.', { code });
  }
  if (!('id' in body)) return undefined;
  try {
    const version = requestedVersion(body);
    const wrong = mismatch(req, body, version);
    if (wrong !== undefined) throw new RpcError(HEADER_MISMATCH, `Header mismatch: ${wrong}.`);
    checkSupported(body, version);
  } catch (error) {
    throw withRequestId(error, body);
  }
  return body;
}

/** Resolves when the request is accepted; the answer follows in `res`. Throws HttpError. */
export async function answerStateless(
  request: JSONRPCRequest,
  res: ServerResponse,
  built: BuiltServer,
): Promise<void> {
  const channel = new ResponseChannel(res, isListening(request));
  const exchange = new StatelessExchange(request, built, channel);
  // A client of this revision cancels a request by closing its connection.
  res.once('close', () => void exchange.cancel());
  await exchange.start().catch((error: unknown) => {
    throw withRequestId(error, request);
  });
}

function withRequestId(error: unknown, { id }: JSONRPCRequest): unknown {
  if (!(error instanceof RpcError)) return error;
  const { code, message, data } = error;
  return new HttpError(code === ErrorCode.MethodNotFound ? 404 : 400, message, { code, id, data });
}

function mismatch(req: IncomingMessage, { method, params }: JSONRPCRequest, version: string) {
  const field = NAMED_BY[method];
  const expected: [string, unknown][] = [
    ['MCP-Protocol-Version', version],
    ['Mcp-Method', method],
  ];
  if (field !== undefined) expected.push(['Mcp-Name', params?.[field]]);
  const wrong = expected.find(
    ([name, value]) => decoded(headerOf(req, name.toLowerCase())) !== value,
  );
  return wrong && `${wrong[0]} is missing or is different from the body`;
}

/** Decodes `=?base64?…?=`, the form of a value with characters that a header cannot contain. */
function decoded(header: string | undefined): string | undefined {
  const encoded = /^=\?base64\?([A-Za-z\d+/]*={0,2})\?=$/.exec(header ?? '')?.[1];
  return encoded === undefined ? header?.trim() : Buffer.from(encoded, 'base64').toString('utf8');
}
