/** The tool `set_retention_policy`: sets the rules that move conversations to the trash once a day. */
import { z } from 'zod';
import { MAX_RULES, newRuleSchema, ruleSchema } from '../../maintenance/retention/rule-schema.js';
import { CHANGES, defineTool, flag, success } from '../define-tool.js';

export const setRetentionPolicy = defineTool({
  name: 'set_retention_policy',
  toolset: 'admin',
  title: 'Set the retention policy',
  description:
    'Replaces the policy that once a day moves unpinned conversations to the trash; with neither rules nor bySize nothing is moved. Use it only when the user asks for it.',
  input: () =>
    z.strictObject({
      rules: z
        .array(newRuleSchema)
        .max(MAX_RULES)
        .describe('A conversation is moved if one of the rules fits.')
        .default([]),
      bySize: flag(
        'Move the oldest conversations while the store is over 80 % of its limit. Removes the oldest items of the trash permanently if store and trash together are over the limit.',
      ),
    }),
  output: () =>
    z.object({
      success,
      rules: z.array(ruleSchema),
      bySize: z.boolean(),
      isActive: z.boolean().describe('Whether anything is moved automatically.'),
      policyPath: z.string(),
      trashKeepDays: z
        .int()
        .describe('Days in the trash after which an item is removed permanently; 0: never.'),
      wouldMove: z.int().describe('Conversations that the next run would move.'),
    }),
  annotations: CHANGES,
  async run({ rules, bySize }, { retention }, { signal }) {
    await retention.policy.write({ rules, bySize });
    const plan = await retention.planOfPolicy(signal);
    return {
      rules,
      bySize,
      isActive: plan !== undefined,
      policyPath: retention.policy.path,
      trashKeepDays: retention.trashKeepDays,
      wouldMove: plan?.conversations.length ?? 0,
    };
  },
});
