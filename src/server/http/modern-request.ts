/**
 * Requests of the stateless protocol (revision 2026-07-28): each brings its version and what its
 * client can do in `_meta`, and repeats in headers what it asks for, so that proxies need not read
 * the body. A request whose headers say something else than its body is refused.
 */
import {
  ErrorCode,
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { Request } from 'express';
import { z } from 'zod';
import { Refusal, type RefusalFacts } from './refusal.js';

const MODERN_VERSION = '2026-07-28';
/** The new one first, then those that begin with `initialize`. */
export const VERSIONS = [MODERN_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS];

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;

const METHODS = new Set([
  ...['server/discover', 'subscriptions/listen', 'completion/complete'],
  ...['tools/list', 'tools/call', 'prompts/list', 'prompts/get'],
  ...['resources/list', 'resources/templates/list', 'resources/read'],
]);

/** The field that `Mcp-Name` repeats. */
const NAMED_BY: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const metaSchema = z.looseObject({
  [VERSION_KEY]: z.string(),
  [CAPABILITIES_KEY]: z.looseObject({}),
});

/** True for what is to be answered by this revision; all else is of those that have sessions. */
export function isModern(req: Request, body: JSONRPCMessage | JSONRPCMessage[]): boolean {
  if (req.get('mcp-protocol-version') === MODERN_VERSION) return true;
  const params = Array.isArray(body) || !('params' in body) ? undefined : body.params;
  return params?._meta !== undefined && VERSION_KEY in params._meta;
}

/**
 * The request, checked; `undefined` for a notification, of which this revision has none that matter.
 * Throws Refusal, under the request's id.
 */
export function modernRequest(
  req: Request,
  body: JSONRPCMessage | JSONRPCMessage[],
): JSONRPCRequest | undefined {
  if (Array.isArray(body) || !('method' in body)) {
    const code = ErrorCode.InvalidRequest;
    throw new Refusal(400, 'Invalid request: the body is one request.', { code });
  }
  if (!('id' in body)) return undefined;
  const refused = (status: number, message: string, facts: RefusalFacts) =>
    new Refusal(status, message, { id: body.id, ...facts });
  const meta = metaSchema.safeParse(body.params?._meta);
  if (!meta.success) {
    const message = `Invalid params: _meta takes ${VERSION_KEY} and ${CAPABILITIES_KEY}.`;
    throw refused(400, message, { code: ErrorCode.InvalidParams });
  }
  const requested = meta.data[VERSION_KEY];
  const wrong = mismatch(req, body, requested);
  if (wrong !== undefined) {
    throw refused(400, `Header mismatch: ${wrong}.`, { code: HEADER_MISMATCH });
  }
  if (requested !== MODERN_VERSION) {
    const data = { supported: VERSIONS, requested };
    throw refused(400, 'Unsupported protocol version.', { code: UNSUPPORTED_VERSION, data });
  }
  if (!METHODS.has(body.method)) {
    throw refused(404, 'Method not found.', { code: ErrorCode.MethodNotFound });
  }
  return body;
}

function mismatch(req: Request, { method, params }: JSONRPCRequest, version: string) {
  const field = NAMED_BY[method];
  const expected: [string, unknown][] = [
    ['MCP-Protocol-Version', version],
    ['Mcp-Method', method],
  ];
  if (field !== undefined) expected.push(['Mcp-Name', params?.[field]]);
  const wrong = expected.find(([name, value]) => decoded(req.get(name)) !== value);
  return wrong && `${wrong[0]} is missing or says something else than the body`;
}

/** What cannot stand in a header as it is comes as `=?base64?…?=`. */
function decoded(header: string | undefined): string | undefined {
  const encoded = /^=\?base64\?([A-Za-z\d+/]*={0,2})\?=$/.exec(header ?? '')?.[1];
  return encoded === undefined ? header?.trim() : Buffer.from(encoded, 'base64').toString('utf8');
}
