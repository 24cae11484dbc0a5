/**
 * Requests of the stateless protocol (revision 2026-07-28), for both transports. Each request has its
 * protocol version and the capabilities of the client in `_meta`; the server keeps nothing between two
 * requests. The headers of HTTP are in `http/stateless-http.ts`.
 */
import {
  ErrorCode,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { RpcError } from '../errors/rpc-error.js';

export const STATELESS_VERSION = '2026-07-28';
/** The supported stateless versions. Earlier versions start with `initialize` and are not in this list. */
export const STATELESS_VERSIONS: readonly string[] = [STATELESS_VERSION];

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const UNSUPPORTED_VERSION = -32022;
export const DISCOVER = 'server/discover';
const LISTEN = 'subscriptions/listen';

const METHODS = new Set([
  ...[DISCOVER, LISTEN, 'completion/complete'],
  ...['tools/list', 'tools/call', 'prompts/list', 'prompts/get'],
  ...['resources/list', 'resources/templates/list', 'resources/read'],
]);

const metaSchema = z.looseObject({
  [VERSION_KEY]: z.string(),
  [CAPABILITIES_KEY]: z.looseObject({}),
});

/** True for a message that this revision answers; sessions answer all others. */
export function isStateless(message: JSONRPCMessage): boolean {
  if (!('method' in message)) return false;
  if (message.method === DISCOVER) return true;
  const meta = message.params?._meta;
  return meta !== undefined && VERSION_KEY in meta;
}

/** True for a request whose notifications continue until the client or the server ends it. */
export const isListening = ({ method }: JSONRPCRequest) => method === LISTEN;

/** The protocol version of the request. Throws RpcError -32602 if a required field of `_meta` is missing. */
export function requestedVersion({ params }: JSONRPCRequest): string {
  const meta = metaSchema.safeParse(params?._meta);
  if (meta.success) return meta.data[VERSION_KEY];
  throw new RpcError(
    ErrorCode.InvalidParams,
    `Invalid params: _meta must have ${VERSION_KEY} (a string) and ${CAPABILITIES_KEY} (an object).`,
  );
}

/** Throws RpcError -32022 for another version, and -32601 for an unknown method. */
export function checkSupported({ method }: JSONRPCRequest, requested: string): void {
  if (!STATELESS_VERSIONS.includes(requested)) {
    const data = { supported: STATELESS_VERSIONS, requested };
    throw new RpcError(UNSUPPORTED_VERSION, 'Unsupported protocol version.', data);
  }
  if (METHODS.has(method)) return;
  throw new RpcError(ErrorCode.MethodNotFound, 'Method not found.');
}
