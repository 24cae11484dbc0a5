/** Checks the metadata that a program passes: JSON would leave out or change some values without an error. */
import { AppError } from '../base/errors.js';
import { MAX_LEVELS_WRITTEN as MAX_LEVELS } from '../stores/json-depth.js';

/** VALIDATION_ERROR if a field `metadata` somewhere in `given` has a value that JSON does not have. */
export function requireJsonMetadata(given: unknown, levels = MAX_LEVELS): void {
  if (levels === 0) return; // the store refuses it
  for (const [name, value] of plainEntries(given)) {
    if (name === 'metadata') requireJson(value, [name]);
    else requireJsonMetadata(value, levels - 1);
  }
}

function requireJson(value: unknown, path: readonly string[]): void {
  if (path.length > MAX_LEVELS) return;
  const isNumber = typeof value === 'number';
  const isObject = typeof value === 'object' && value !== null;
  const isOther = isObject
    ? !isPlain(value) && !('toJSON' in value)
    : ['function', 'symbol', 'bigint'].includes(typeof value);
  if (isOther || (isNumber && !Number.isFinite(value))) {
    const field = path.join('.');
    throw new AppError('VALIDATION_ERROR', `${field} has a value that JSON cannot represent.`, {
      hint: 'Nothing was stored. Use texts, finite numbers, true, false, null, lists and plain objects.',
      details: { field },
    });
  }
  for (const [name, each] of plainEntries(value)) requireJson(each, [...path, name]);
}

const isPlain = (value: object): boolean =>
  Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));

const plainEntries = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && isPlain(value) ? Object.entries(value) : [];
