/**
 * Errors as MCP tool results: the one shape that a client sees for every failure.
 * No `structuredContent`: the official TypeScript client validates that against the tool's
 * output schema even for errors, and throws. An unknown exception shows only a reference;
 * what it was goes to the log.
 */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { AppError, isAppError } from '../base/errors.js';
import { randomHex } from '../base/ids.js';
import type { Log } from '../base/log.js';
import type { Tool } from '../tools/define-tool.js';

/** What a thrown value means to the caller; everything unforeseen becomes INTERNAL with a reference. */
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
  return new AppError('INTERNAL', `Internal error (ref ${ref}).`, {
    details: { ref },
    cause: error,
  });
}

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

/** What every client is shown of an error. */
export function factsOf(error: AppError) {
  const { code, number, message, hint, retryable, details = {} } = error;
  return { code, number, message, hint, retryable, details };
}

/** VALIDATION_ERROR that names each wrong argument and what it takes. */
export function inputError(tool: Tool, error: z.ZodError): AppError {
  const fields = Object.keys(tool.input.shape);
  const problems = error.issues.map((issue) => describe(issue, tool, fields));
  return new AppError('VALIDATION_ERROR', `${tool.name}: ${problems.join(' ')}`, {
    details: {
      tool: tool.name,
      fields: [...new Set(error.issues.flatMap(namesIn))],
      allowed: fields,
    },
  });
}

function namesIn(issue: z.core.$ZodIssue): readonly string[] {
  return issue.code === 'unrecognized_keys' && issue.path.length === 0
    ? issue.keys
    : [issue.path.map(String).join('.')];
}

function describe(issue: z.core.$ZodIssue, tool: Tool, fields: readonly string[]): string {
  const [name = ''] = issue.path.map(String);
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const inside = path === '' ? `; it takes ${fields.join(', ') || 'none'}` : ` in "${path}"`;
    return `unknown argument ${issue.keys.map(quoted).join(', ')}${inside}.`;
  }
  const about = (tool.input.shape[name] as z.ZodType | undefined)?.description;
  return `"${path}": ${issue.message}.${about ? ` It takes: ${about}` : ''}`;
}

const quoted = (name: string) => JSON.stringify(name.slice(0, 80));
