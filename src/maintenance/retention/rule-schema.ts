/** The schema of one rule of the retention policy, for its file and for the tools that show and set it. */

import { z } from 'zod';
import { hasText } from '../../base/text/display-text.js';

export const MAX_RULES = 100;

/** A conversation matches a rule if all its conditions are true. */
export const ruleSchema = z.strictObject({
  olderThanDays: z.int().min(1).max(36_500).describe('Days since the last message.'),
  module: z.string().min(1).max(200).describe('Only conversations of this module.').exactOptional(),
  tag: z.string().min(1).max(200).describe('Only conversations with this tag.').exactOptional(),
});

/** The module of a new rule. No conversation has an empty module or tag. */
export const ruleModule = ruleSchema.shape.module.unwrap().refine(hasText, 'The module is empty.');

export const ruleTag = ruleSchema.shape.tag.unwrap().refine(hasText, 'The tag is empty.');

/** A rule that is to be stored. */
export const newRuleSchema = ruleSchema.extend({
  module: ruleModule.exactOptional(),
  tag: ruleTag.exactOptional(),
});

/** The rule of a prune or an archive run may have only some of the conditions. */
export type PruneRule = Partial<z.output<typeof ruleSchema>>;
