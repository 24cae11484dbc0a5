/**
 * Errors as MCP tool results. A result has no `structuredContent`, because the official TypeScript
 * client also validates errors against the output schema of the tool, and throws. For an unknown
 * exception the client receives only a reference; the exception is in the log.
 */

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { AppError, errnoOf, isAppError } from '../../../base/errors.js';
import { randomHex } from '../../../base/ids.js';
import type { Log } from '../../../base/log.js';

/** Returns an AppError unchanged. Other errors become CANCELLED or INTERNAL, with a reference to the log. */
export function toAppError(error: unknown, signal: AbortSignal, log: Log): AppError {
  if (isAppError(error)) {
    if (error.code === 'INTERNAL') log.error({ err: error }, 'internal error');
    return error;
  }
  if (signal.aborted && isAbort(error, signal)) {
    return new AppError('CANCELLED', 'The call was cancelled.', { cause: error });
  }
  const ref = randomHex(4);
  log.error({ err: error, ref }, 'internal error');
  if (isMissingModule(error)) {
    return new AppError('INTERNAL', `A part of the program is missing (ref ${ref}).`, {
      hint: 'Daybook was updated, built again or removed after this server started. Restart the server.',
      details: { ref },
      cause: error,
    });
  }
  if (hasTooManyFiles(error)) {
    return new AppError('INTERNAL', `Too many files are open (ref ${ref}).`, {
      hint: 'A part of the program could not be loaded. Close other programs, or allow more open files (ulimit -n), then restart the server.',
      details: { ref },
      cause: error,
    });
  }
  return new AppError('INTERNAL', `Internal error (ref ${ref}).`, {
    details: { ref },
    cause: error,
  });
}

/** Large parts of the program are loaded when they are first used. */
const isMissingModule = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';

/** Errors of Daybook's own files have a code. Node does not load a module again after such an error. */
const hasTooManyFiles = (error: unknown) => ['EMFILE', 'ENFILE'].includes(errnoOf(error) ?? '');

const isAbort = (error: unknown, signal: AbortSignal) =>
  error === signal.reason || (error instanceof Error && error.name === 'AbortError');

/** The tool result of an error. */
export function errorResult(error: AppError): CallToolResult {
  const facts = factsOf(error);
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify({ success: false, error: facts }) }],
    _meta: { 'daybook/error': facts },
  };
}

/** The fields of an error that clients receive. */
export function factsOf(error: AppError) {
  const { code, number, message, hint, retryable, details = {} } = error;
  return { code, number, message, hint, retryable, details };
}
