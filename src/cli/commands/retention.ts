/** `daybook retention`: shows and changes the policy for moving conversations to the trash once a day. */

import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../app.js';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { NO_POLICY, type RetentionPolicy } from '../../maintenance/retention/policy.js';
import type { Flags } from '../options/configuration.js';
import { daysOf } from '../options/days.js';
import { namesOf, type RuleOptions } from '../options/rule-options.js';
import { confirmOrEnd } from '../terminal/confirm.js';
import { type ConsentOptions, report } from '../terminal/output.js';
import { oneLine } from '../terminal/terminal-text.js';
import { withApp, withReadingApp } from '../with-app.js';

export interface SetRetentionOptions extends RuleOptions, ConsentOptions {
  bySize?: boolean;
}

type Rules = Pick<RetentionPolicy, 'rules' | 'bySize'>;

/** Prints the policy, its last run, and what the next run would move. */
export async function showRetention({ json }: { json?: boolean }, flags: Flags): Promise<void> {
  await withReadingApp(flags, ({ retention }, signal) => printPolicy(retention, json, signal));
}

/** Adds a rule, or turns `bySize` on. Throws VALIDATION_ERROR if neither is given. */
export async function addRetention(options: SetRetentionOptions, flags: Flags): Promise<void> {
  const { olderThan, bySize = false } = options;
  const names = namesOf(options);
  if (olderThan === undefined && (!bySize || Object.keys(names).length > 0)) {
    throw new AppError('VALIDATION_ERROR', 'Give --older-than, or only --by-size.');
  }
  const rules = olderThan === undefined ? [] : [{ olderThanDays: daysOf(olderThan), ...names }];
  await change(options, flags, (before) => ({
    rules: [...before.rules.filter((each) => !isDeepStrictEqual([each], rules)), ...rules],
    bySize: before.bySize || bySize,
  }));
}

/** Removes all rules, so that nothing is moved automatically. */
export async function clearRetention({ json }: { json?: boolean }, flags: Flags): Promise<void> {
  await withApp(flags, async ({ retention }, signal) => {
    await retention.policy.write(NO_POLICY);
    await printPolicy(retention, json, signal);
  });
}

async function change(
  { yes, json }: SetRetentionOptions,
  flags: Flags,
  next: (before: Rules) => Rules,
): Promise<void> {
  await withApp(flags, async ({ retention }, signal) => {
    const policy = next((await retention.policy.read()) ?? NO_POLICY);
    const plan = await retention.plan({ ...policy, emptiesTrash: true }, signal);
    if (!yes) {
      const count = countOf(plan.conversations.length, 'conversation');
      const show = () =>
        console.error(`With this policy, the next run would move ${count} to the trash.`);
      const question = 'Use this policy once a day from now on?';
      if (!(await confirmOrEnd(question, 'The policy was not changed.', show))) return;
    }
    // Another process may have changed the policy while the question waited.
    await retention.policy.change(next);
    await printPolicy(retention, json, signal);
  });
}

async function printPolicy(
  retention: App['retention'],
  json: boolean | undefined,
  signal: AbortSignal,
): Promise<void> {
  const policy = await retention.policy.read();
  const lastRun = await retention.lastRun();
  const plan = await retention.planOfPolicy(signal);
  const wouldMove = plan?.conversations.length ?? 0;
  const { rules, bySize } = policy ?? NO_POLICY;
  const facts = { policyPath: retention.policy.path, rules, bySize, wouldMove };
  report({ ...facts, ...(lastRun && { lastRun }) }, json, () => {
    if (policy === undefined)
      return console.log('There is no policy: Daybook moves nothing automatically.');
    for (const { olderThanDays, module, tag } of rules) {
      const which = [module && `of the module ${module}`, tag && `with the tag ${tag}`];
      const words = ['no message for', countOf(olderThanDays, 'day'), ...which.filter(Boolean)];
      console.log(oneLine(words.join(' ')));
    }
    if (bySize)
      console.log('the oldest conversations, while the store is over 80 % of DAYBOOK_MAX_SIZE_MB');
    console.log(`The next run would move ${countOf(wouldMove, 'conversation')} to the trash.`);
    if (lastRun) console.log(`Last run ${lastRun.at}: ${lastRun.moved} moved.`);
  });
}
