/** The tool `set_retention_policy`: what is moved to the trash by itself once a day. */
import { z } from 'zod';
import { MOST_RULES, ruleSchema } from '../../maintenance/retention/policy.js';
import { CHANGES, defineTool, success } from '../define-tool.js';

export const setRetentionPolicy = defineTool({
  name: 'set_retention_policy',
  toolset: 'admin',
  title: 'Set the retention policy',
  description:
    'Replaces the policy by which conversations are moved to the trash by themselves, once a day while a server runs. Only when the user asks for it. Pinned conversations never go. Without rules and bySize there is no policy, and nothing goes. See what a policy would take with prune_conversations.',
  input: z.strictObject({
    rules: z
      .array(ruleSchema)
      .max(MOST_RULES)
      .describe('A conversation goes where one of these rules fits.')
      .default([]),
    bySize: z
      .boolean()
      .describe('The oldest go while the store is over 80 % of DAYBOOK_MAX_SIZE_MB.')
      .default(false),
  }),
  output: z.object({
    success,
    rules: z.array(ruleSchema),
    bySize: z.boolean(),
    isActive: z.boolean().describe('Whether anything is moved by itself.'),
    policyPath: z.string(),
    trashKeepDays: z
      .number()
      .int()
      .describe('After so many days in the trash it is gone for good; 0: it stays.'),
    wouldMove: z.number().int().describe('Conversations that the next run would move.'),
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
