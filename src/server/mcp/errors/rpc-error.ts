/**
 * JSON-RPC errors as the client receives them. The SDK's `McpError` is not used, because it adds
 * `MCP error N:` before the message.
 */
import { ErrorCode, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { AppError } from '../../../base/errors.js';
import { factsOf } from './error-result.js';

/** "Resource not found" in the revisions up to 2025-11-25. */
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
  /** The id of the refused request, if it is known. */
  readonly id: RequestId | null;

  constructor(code: number, message: string, data?: unknown, id: RequestId | null = null) {
    super(message);
    this.code = code;
    this.data = data;
    this.id = id;
  }
}

/** Converts an AppError. `data` has the fields of `more`, and Daybook's error as `daybook/error`. */
export function toRpcError(error: AppError, more: Record<string, unknown> = {}): RpcError {
  const code = RPC_CODES[error.code] ?? ErrorCode.InternalError;
  return new RpcError(code, error.message, { ...more, 'daybook/error': factsOf(error) });
}

/** The error as a JSON-RPC response. `id` is null where the request's id is not known. */
export function errorResponse(error: RpcError, id = error.id) {
  const { code, message, data } = error;
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}
