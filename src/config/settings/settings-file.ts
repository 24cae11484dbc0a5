/** Parses the configuration file: JSON with comments. An unknown setting is refused, with similar names. */
import { type ParseError, parse } from 'jsonc-parser';
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { lineAndColumn, shownPlace } from '../../base/text/line-and-column.js';
import { similarNames } from '../similar-names.js';
import { SETTING_NAMES, SETTINGS } from './settings.js';

export const FILE_HINT = 'Correct the file and try again.';

/** Parses JSON with comments and trailing commas. VALIDATION_ERROR with line and column. */
export function parseJson(content: string, path: string): unknown {
  const text = content.replace(/^\uFEFF/, '');
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined) return value;
  const place = shownPlace(lineAndColumn(text, error.offset));
  throw new AppError('VALIDATION_ERROR', `${path} is not valid JSON (${place}).`, {
    hint: 'Correct the file at this place and try again.',
  });
}

/** Returns the settings of the configuration file. VALIDATION_ERROR for an unknown name and for a secret. */
export function parseFile(content: string | undefined, path: string): Record<string, unknown> {
  if (content === undefined) return {};
  const parsed = z.record(z.string(), z.unknown()).safeParse(parseJson(content, path));
  if (!parsed.success)
    throw new AppError('VALIDATION_ERROR', `${path} must contain one JSON object.`, {
      hint: FILE_HINT,
    });
  const allowed = SETTING_NAMES.filter((name) => !('secret' in SETTINGS[name]));
  const unknown = Object.keys(parsed.data).find((key) => !allowed.some((name) => name === key));
  if (unknown === undefined) return parsed.data;
  if (SETTING_NAMES.some((name) => name === unknown)) {
    const problem = `"${unknown}" in ${path} is a secret. A secret can be set only in the environment.`;
    throw new AppError('VALIDATION_ERROR', problem, {
      hint: 'Remove the line from the file and set the environment variable. docs/CLI.md lists all settings.',
    });
  }
  const similar = similarNames(unknown, allowed);
  throw new AppError('VALIDATION_ERROR', `${path} has the unknown setting "${unknown}".`, {
    hint: `${similar.length > 0 ? `Similar settings: ${similar.join(', ')}. ` : ''}Correct the name or remove the line. docs/CLI.md lists all settings.`,
  });
}
