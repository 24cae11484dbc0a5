/** Numbers of days on the command line, such as `90d`. */
import { AppError } from '../base/errors.js';

/** The number of days in `90d` or `90`. Throws VALIDATION_ERROR for other texts. */
export function daysOf(text: string, option: string): number {
  const days = /^(\d{1,5})d?$/.exec(text.trim())?.[1];
  if (days !== undefined) return Number(days);
  throw new AppError('VALIDATION_ERROR', `${option} must be a number of days, such as 90d.`);
}
