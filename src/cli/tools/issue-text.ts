/** Converts a zod issue about an option or argument into a sentence. */
import type { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';

/** `name`: the option or the argument, such as `--limit`. */
export function invalidInput(name: string, issue: z.core.$ZodIssue | undefined): AppError {
  return new AppError('VALIDATION_ERROR', `${name} ${issueText(issue)}.`, {
    details: { field: name },
  });
}

/** Such as `object of entry 2`. */
const placeOf = ({ path }: z.core.$ZodIssue): string =>
  path
    .slice(1)
    .reverse()
    .map((part) => (typeof part === 'number' ? `entry ${part + 1}` : String(part)))
    .join(' of ');

function issueText(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case 'too_small':
      if (issue.origin !== 'string') return `must be ${issue.minimum} or more`;
      return issue.minimum === 1
        ? 'is empty'
        : `must have ${countOf(Number(issue.minimum), 'character')} or more`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${countOf(Number(issue.maximum), 'character')}`
        : `must be at most ${issue.maximum}`;
    case 'invalid_type':
      if (issue.path.length > 1) return `is not valid: ${placeOf(issue)} must be ${issue.expected}`;
      if (issue.expected === 'int') return 'must be a whole number';
      return issue.expected === 'number' ? 'must be a number' : `must be ${issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return `is not valid: ${issue?.message ?? 'unknown'}`.replace(/\.$/, '');
  }
}
