/** The rule that the options `--older-than`, `--module` and `--tag` of prune, archive and retention make. */
import { AppError } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import type { PruneRule } from '../../maintenance/retention/rule-schema.js';
import { daysOf } from './days.js';

export interface RuleOptions {
  olderThan?: string;
  module?: string;
  tag?: string;
}

/** The conditions that were given. Throws VALIDATION_ERROR for a wrong number of days or an empty name. */
export function ruleOf({ olderThan, ...names }: RuleOptions): PruneRule {
  if (olderThan === undefined) return namesOf(names);
  return { olderThanDays: daysOf(olderThan), ...namesOf(names) };
}

/** Throws VALIDATION_ERROR for an empty name, which no conversation has. */
export function namesOf({ module, tag }: RuleOptions): Pick<PruneRule, 'module' | 'tag'> {
  for (const [name, text] of Object.entries({ module, tag })) {
    if (text?.trim() === '') throw new AppError('VALIDATION_ERROR', `The --${name} is empty.`);
  }
  return defined({ module, tag });
}
