/**
 * An error of the JSON-RPC protocol, as the client receives it. The SDK's `McpError` puts
 * `MCP error N:` in front of every message; this class does not.
 */
import { ErrorCode, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { AppError } from '../../base/errors.js';
import { factsOf } from './error-result.js';

/** The number of "resource not found" in the revisions up to 2025-11-25. */
export const RESOURCE_NOT_FOUND = -32002;

const RPC_CODES: { readonly [code in AppError['code']]?: number } = {
  CONVERSATION_NOT_FOUND: RESOURCE_NOT_FOUND,
  E_MB_FILE_NOT_FOUND: RESOURCE_NOT_FOUND,
  VALIDATION_ERROR: ErrorCode.InvalidParams,
  PATH_ESCAPE: ErrorCode.InvalidParams,
};

export class RpcError extends Error {
  /** The number of the JSON-RPC error. */
  readonly code: number;
  readonly data: unknown;
  /** Of the request that it refuses, where it is known. */
  readonly id: RequestId | null;

  constructor(code: number, message: string, data?: unknown, id: RequestId | null = null) {
    super(message);
    this.code = code;
    this.data = data;
    this.id = id;
  }
}

/** The protocol's form of an AppError. `data` holds Daybook's own code and what `more` adds. */
export function toRpcError(error: AppError, more: Record<string, unknown> = {}): RpcError {
  const code = RPC_CODES[error.code] ?? ErrorCode.InternalError;
  return new RpcError(code, error.message, { ...more, 'daybook/error': factsOf(error) });
}

/** The error as a JSON-RPC response. `id` is null where the request's id is not known. */
export function errorResponse(error: RpcError, id = error.id) {
  const { code, message, data } = error;
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}
