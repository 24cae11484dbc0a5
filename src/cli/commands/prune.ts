/** `daybook prune`: shows what a rule would move to the trash and why, asks, and moves it. */
import { countOf } from '../../base/text/display-text.js';
import type { PrunePlan } from '../../maintenance/retention/retention.js';
import { type Skipped, unreadable } from '../../maintenance/skipped-conversations.js';
import { reportFailure } from '../errors/failure.js';
import { reportSkipped } from '../notices/problems.js';
import type { Flags } from '../options/configuration.js';
import { type RuleOptions, ruleOf } from '../options/rule-options.js';
import { daybookLine } from '../terminal/command-line.js';
import { confirmOrEnd } from '../terminal/confirm.js';
import { type PlanOptions, report } from '../terminal/output.js';
import { type Times, timesFor } from '../terminal/times.js';
import type { OptionNames } from '../tools/command-names.js';
import { jsonOf, printCandidates } from '../views/candidate-lines.js';
import { withApp } from '../with-app.js';

export interface PruneOptions extends RuleOptions, PlanOptions {
  bySize?: boolean;
}

const OPTIONS: OptionNames = {
  olderThanDays: '--older-than',
  module: '--module',
  tag: '--tag',
  bySize: '--by-size',
};

/** Reports VALIDATION_ERROR without a rule and policy, or without a terminal for the question. */
export async function prune(options: PruneOptions, flags: Flags): Promise<void> {
  const { bySize = false, dryRun = false, yes = false, json } = options;
  const rule = ruleOf(options);
  const times = timesFor(flags);
  const rules = Object.keys(rule).length === 0 ? [] : [rule];
  await withApp(
    flags,
    async ({ retention, conversations }, signal) => {
      const plan = await retention.planFor({ rules, bySize }, signal);
      const unread = unreadable(conversations);
      const end = (left: readonly Skipped[]) => reportSkipped(left, 'was not moved', options);
      const isEmpty = plan.conversations.length + plan.trash.length === 0;
      if (dryRun || isEmpty) {
        const nothing = { moved: [], removed: [] };
        const facts = { ...(dryRun ? factsOf(plan) : nothing), skipped: unread };
        report(facts, json, () => print(plan, times, options, console.log));
        return end(unread);
      }
      const show = () => print(plan, times, options, console.error);
      if (!yes && !(await confirmOrEnd(questionOf(plan), 'Nothing was moved.', show))) return;
      const done = await retention.carryOut(plan, { signal });
      const moved = done.moved.map((each) => ({ ...jsonOf(each), trashName: each.trashName }));
      const { removed } = done;
      const skipped = [...done.skipped, ...unread];
      report({ moved, removed, skipped }, json, () => {
        console.log(`${countOf(moved.length, 'conversation')} moved to the trash.`);
        if (removed.length > 0)
          console.log(`${countOf(removed.length, 'item')} removed from the trash permanently.`);
        const [first] = done.moved;
        if (first) {
          const { conversationId } = first.head;
          console.log(`To restore one, run: ${daybookLine(flags, 'restore', conversationId)}`);
          if (moved.length > 1)
            console.log(
              `To restore all that was deleted in the last 24 hours, run: ${daybookLine(flags, 'trash', 'restore', '--newer-than', '1d')}`,
            );
        }
      });
      end(skipped);
    },
    { isReading: dryRun },
  ).catch((error: unknown) => reportFailure(error, flags, OPTIONS));
}

const questionOf = ({ trash }: PrunePlan) =>
  trash.length === 0
    ? 'Move these conversations to the trash?'
    : `Move these conversations to the trash, and remove ${countOf(trash.length, 'item')} of the trash permanently?`;

const factsOf = ({ conversations, trash, size }: PrunePlan) => ({
  dryRun: true,
  conversations: conversations.map(jsonOf),
  removedFromTrash: trash,
  size,
});

function print(
  { conversations, trash }: PrunePlan,
  times: Times,
  options: PruneOptions,
  line: (text: string) => void,
): void {
  printCandidates(conversations, 'to move to the trash', times, options, line);
  if (trash.length > 0) line(`${countOf(trash.length, 'item')} of the trash to remove permanently`);
}
