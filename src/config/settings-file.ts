/** The text of a settings file as a value. */
import { type ParseError, parse } from 'jsonc-parser';
import { AppError } from '../base/errors.js';

/** JSON with comments and trailing commas, as people keep settings. VALIDATION_ERROR names the line. */
export function parseJson(content: string, path: string): unknown {
  const text = content.replace(/^\uFEFF/, '');
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined) return value;
  const before = text.slice(0, error.offset).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  throw new AppError(
    'VALIDATION_ERROR',
    `${path} is not valid JSON (line ${before.length}, column ${column}).`,
    { hint: 'Correct that place and try again.' },
  );
}
