/**
 * What callers give to the store of insights, judged before any file is touched by the same rules as
 * a file: what it could not read again is never written.
 */
import { AppError, isAppError } from '../../base/errors.js';
import { documentOf, readInsight, type StoredInsight } from './insight-file.js';
import { INSIGHT_ID, normalContext } from './schema.js';

/** VALIDATION_ERROR: no id of an insight, and so no name of a file either. */
export function requireInsightId(id: string): void {
  if (!INSIGHT_ID.test(id)) throw invalid('id', 'a UUID in lower case');
}

/** As insights are filed. VALIDATION_ERROR. */
export function requireContext(context: string): string {
  const known = typeof context === 'string' ? normalContext(context) : undefined;
  if (known === undefined) throw invalid('context', '"global" or an absolute path');
  return known;
}

/** VALIDATION_ERROR where it says nothing. */
export function requireContent(content: string): void {
  if (content === '') throw invalid('content', 'a text that is not empty');
}

/** As the file will give it back. VALIDATION_ERROR names the field that it could not. */
export function asFiled(stored: StoredInsight): StoredInsight {
  const { id, created_at: modifiedAt } = stored.insight;
  requireInsightId(id);
  try {
    const document: unknown = JSON.parse(JSON.stringify(documentOf(stored)));
    return readInsight(document, { id, path: 'The insight', modifiedAt });
  } catch (cause) {
    if (isAppError(cause, 'FORMAT_TOO_NEW')) throw cause;
    const { message, details } = isAppError(cause) ? cause : NO_JSON;
    throw new AppError('VALIDATION_ERROR', message, { cause, ...(details && { details }) });
  }
}

const NO_JSON = invalid('metadata', 'what JSON can hold');

function invalid(field: string, takes: string): AppError {
  return new AppError('VALIDATION_ERROR', `The insight: ${field} takes ${takes}.`, {
    details: { field },
  });
}
