/** Ages on the command line, such as `90d`. */
import { AppError } from '../base/errors.js';

/** Days of `90d` or `90`. VALIDATION_ERROR for anything else. */
export function daysOf(text: string, option: string): number {
  const days = /^(\d{1,5})d?$/.exec(text.trim())?.[1];
  if (days !== undefined) return Number(days);
  throw new AppError('VALIDATION_ERROR', `${option} must be a number of days, such as 90d.`);
}
