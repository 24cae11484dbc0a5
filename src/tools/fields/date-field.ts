/** Times in the input of tools: ISO 8601. A date without a time means the whole day (UTC). */

import { z } from 'zod';
import { DAY_MS, hasFourDigitYear, isoTime, timeOfText } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { isTimeZone } from '../../base/local-time.js';

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** The time zone of the days and times in an answer. */
export const timeZoneField = z
  .string()
  .refine(isTimeZone, { error: 'must be a time zone such as Europe/Berlin or UTC' })
  .describe('Time zone (default: the setting, otherwise that of the system).')
  .exactOptional();

/** The schema of an optional time; `what` is the beginning of its description. */
export const dateField = (what: string) =>
  z.string().describe(`${what} (ISO 8601, UTC).`).exactOptional();

/** The first moment of `text`, in epoch milliseconds. Throws VALIDATION_ERROR with the field name. */
export function startOf(name: string, text: string): number {
  const isDate = ISO_DATE.test(text);
  const zoned = isDate || /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`;
  const time = isDate || ISO_TIME.test(text) ? timeOfText(zoned) : undefined;
  if (time !== undefined && hasFourDigitYear(time)) return time;
  const problem =
    time === undefined
      ? 'must be a time in ISO 8601, such as 2025-01-24 or 2025-01-24T15:00:00Z'
      : `is ${isoTime(time)} in UTC, but the year must have four digits`;
  throw new AppError('VALIDATION_ERROR', `\`${name}\` ${problem}.`);
}

/**
 * The span between two fields of the input, such as `{ startDate, endDate }`: the first moment of the first
 * and the last moment of the second, in epoch milliseconds. Throws VALIDATION_ERROR if it ends before it begins.
 */
export function spanOf(fields: Readonly<Record<string, string | undefined>>): {
  start?: number;
  end?: number;
} {
  const [[first, from], [second, to]] = Object.entries(fields) as [Field, Field];
  const start = from === undefined ? undefined : startOf(first, from);
  const end = to === undefined ? undefined : endOf(second, to);
  if (start !== undefined && end !== undefined && start > end) {
    throw new AppError('VALIDATION_ERROR', `\`${first}\` is after \`${second}\`.`, {
      hint: 'Exchange the two times.',
      details: { field: first },
    });
  }
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
}

type Field = [name: string, text: string | undefined];

/** The last moment of `text`, in epoch milliseconds. Throws VALIDATION_ERROR with the field name. */
export function endOf(name: string, text: string): number {
  const time = startOf(name, text);
  return ISO_DATE.test(text) ? time + DAY_MS - 1 : time;
}
