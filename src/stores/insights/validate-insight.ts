/**
 * Validates the arguments of the insight store, before any file access and by the same rules as for reading
 * a file, so that the store never writes a file that it cannot read.
 */
import { AppError, isAppError } from '../../base/errors.js';
import { documentOf, readInsight } from './insight-file.js';
import { INSIGHT_ID, KNOWN_CONTEXTS, normalContext, type StoredInsight } from './schema.js';

/** VALIDATION_ERROR if it is not a UUID in lower case. So it is a safe file name. */
export function requireInsightId(id: string): void {
  if (!INSIGHT_ID.test(id)) throw invalid('id', 'a UUID in lower case');
}

/** Returns the normalized context. VALIDATION_ERROR. */
export function requireContext(context: string): string {
  const known = typeof context === 'string' ? normalContext(context) : undefined;
  if (known === undefined) throw invalid('context', KNOWN_CONTEXTS);
  return known;
}

/** VALIDATION_ERROR if it is empty. */
export function requireContent(content: string): void {
  if (content === '') throw invalid('content', 'a text that is not empty');
}

/** As it will be read back from its file. VALIDATION_ERROR with the wrong field in `details`. */
export function normalizeInsight(stored: StoredInsight): StoredInsight {
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

const NO_JSON = invalid('metadata', 'a value that JSON can represent');

function invalid(field: string, takes: string): AppError {
  return new AppError('VALIDATION_ERROR', `The insight: ${field} must be ${takes}.`, {
    details: { field },
  });
}
