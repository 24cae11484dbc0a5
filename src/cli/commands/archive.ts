/** `daybook archive`: moves old conversations into monthly archives, after it has shown them and asked. */

import type { App } from '../../app.js';
import { countOf } from '../../base/text/display-text.js';
import { type Skipped, unreadable } from '../../maintenance/skipped-conversations.js';
import { reportSkipped } from '../notices/problems.js';
import type { Flags } from '../options/configuration.js';
import { type RuleOptions, ruleOf } from '../options/rule-options.js';
import { confirmOrEnd } from '../terminal/confirm.js';
import { type PlanOptions, report } from '../terminal/output.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { timesFor } from '../terminal/times.js';
import { jsonOf, printCandidates } from '../views/candidate-lines.js';
import { withApp } from '../with-app.js';

export interface ArchiveOptions extends RuleOptions, PlanOptions {
  olderThan: string;
}

/** Throws VALIDATION_ERROR (no terminal for the question), LOCKED, STORAGE_FULL, CORRUPT. */
export async function archive(options: ArchiveOptions, flags: Flags): Promise<void> {
  const { dryRun = false, yes = false, json } = options;
  const rule = ruleOf(options);
  const times = timesFor(flags);
  const work = async ({ archives, conversations }: App, signal: AbortSignal) => {
    const chosen = await archives.choose(rule, signal);
    const unread = unreadable(conversations);
    const end = (left: readonly Skipped[]) => reportSkipped(left, 'was not archived', options);
    const print = (line: (text: string) => void) =>
      printCandidates(chosen, 'to archive', times, options, line);
    if (dryRun || chosen.length === 0) {
      const facts = dryRun
        ? { dryRun, conversations: chosen.map(jsonOf) }
        : { made: [], archived: [] };
      report({ ...facts, skipped: unread }, json, () => print(console.log));
      return end(unread);
    }
    const ask = () =>
      confirmOrEnd('Archive these conversations?', 'Nothing was archived.', () =>
        print(console.error),
      );
    if (!yes && !(await ask())) return;
    const done = await archives.archive(chosen, signal);
    const skipped = [...done.skipped, ...unread];
    report({ ...done, skipped }, json, () => {
      console.log(`${countOf(done.archived.length, 'conversation')} archived.`);
      for (const path of done.made) console.log(escapeControls(path));
    });
    end(skipped);
  };
  await withApp(flags, work, { isReading: dryRun });
}
