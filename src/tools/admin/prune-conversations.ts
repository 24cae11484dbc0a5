/** The tool `prune_conversations`: what a rule selects, and why. `dryRun: false` moves it to the trash. */
import { z } from 'zod';
import { shownNames } from '../../base/text/display-text.js';
import { totalBytes } from '../../base/total-bytes.js';
import type { Candidate } from '../../maintenance/retention/prunable-conversations.js';
import { ruleModule, ruleTag } from '../../maintenance/retention/rule-schema.js';
import { unreadable } from '../../maintenance/skipped-conversations.js';
import { defineTool, flag, REMOVES, success } from '../define-tool.js';

/** Of each list in the answer; the totals count all. */
const MAX_LISTED = 50;

export const pruneConversations = defineTool({
  name: 'prune_conversations',
  toolset: 'admin',
  title: 'Prune conversations',
  description:
    'Shows which conversations the given rule (default: the retention policy) would move to the trash, and why; pinned conversations are never moved. Show the user the list, then pass dryRun: false to move them.',
  input: () =>
    z.strictObject({
      olderThanDays: z
        .int()
        .min(1)
        .max(36_500)
        .describe('Minimum days since the last message (default with module or tag: any age).')
        .exactOptional(),
      module: ruleModule.exactOptional(),
      tag: ruleTag.exactOptional(),
      bySize: flag(
        'Also the oldest of all conversations, while the store is over 80 % of its limit. Removes the oldest items of the trash permanently if store and trash together are over the limit.',
      ),
      dryRun: z.boolean().describe('False: move them.').default(true),
    }),
  output: () =>
    z.object({
      success,
      dryRun: z.boolean(),
      total: z.int().describe('Conversations that were chosen.'),
      sizeBytes: z.int().describe('Size of these conversations.'),
      moved: z.int().describe('Moved to the trash by this call.'),
      removedFromTrash: z
        .int()
        .describe(
          'Items of the trash that were removed permanently; with dryRun, that would be removed.',
        ),
      conversations: z
        .array(
          z.object({
            conversationId: z.string(),
            title: z.string().exactOptional(),
            module: z.string().exactOptional(),
            lastMessageAt: z.string(),
            messageCount: z.int(),
            sizeBytes: z.int(),
            reason: z.string(),
          }),
        )
        .describe('At most 50, those with the oldest last message first.'),
      skipped: z
        .array(z.object({ conversationId: z.string(), reason: z.string() }))
        .describe('Not moved, with the reason: it could not be read, or has changed since.'),
      storeBytes: z.int().describe('Size of the store before this call, without the trash.'),
      limitBytes: z.int().exactOptional(),
    }),
  annotations: REMOVES,
  quotesText: true,
  async run({ dryRun, bySize, ...rule }, { retention, conversations }, { signal, progress }) {
    const rules = Object.keys(rule).length === 0 ? [] : [rule];
    const plan = await retention.planFor({ rules, bySize }, signal);
    const onProgress = (done: number, total: number) => progress({ progress: done, total });
    const report = dryRun ? undefined : await retention.carryOut(plan, { signal, onProgress });
    const skipped = [...(report?.skipped ?? []), ...unreadable(conversations)];
    const { sizeBytes: storeBytes, limitBytes } = plan.size;
    return {
      dryRun,
      total: plan.conversations.length,
      sizeBytes: totalBytes(plan.conversations),
      moved: report?.moved.length ?? 0,
      removedFromTrash: (report?.removed ?? plan.trash).length,
      conversations: plan.conversations.slice(0, MAX_LISTED).map(toListed),
      skipped: skipped.slice(0, MAX_LISTED),
      storeBytes,
      ...(limitBytes !== undefined && { limitBytes }),
    };
  },
});

function toListed({ head, lastMessageAt, sizeBytes, reason }: Candidate) {
  const { conversationId, messageCount } = head;
  const facts = { lastMessageAt, messageCount, sizeBytes, reason };
  return { conversationId, ...shownNames(head), ...facts };
}
