/** `daybook trash list`, `trash empty` and `trash restore --newer-than`. `restore-deleted.ts` restores one item. */

import { DAY_MS, systemClock } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { totalBytes } from '../../base/total-bytes.js';
import type { TrashedItem } from '../../maintenance/trash-bin.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import type { Flags } from '../options/configuration.js';
import { daysOf } from '../options/days.js';
import { confirmOrEnd } from '../terminal/confirm.js';
import { type PlanOptions, printList, report } from '../terminal/output.js';
import { sizeOf } from '../terminal/sizes.js';
import { oneLine } from '../terminal/terminal-text.js';
import { type Times, timesFor } from '../terminal/times.js';
import { withApp, withReadingApp } from '../with-app.js';

export interface EmptyTrashOptions extends Omit<PlanOptions, 'dryRun'> {
  olderThan?: string;
}

export interface RestoreTrashOptions extends Omit<PlanOptions, 'dryRun'> {
  newerThan?: string;
}

/** Prints the items of the trash, most recently deleted first. */
export async function listTrash(
  options: { all?: boolean; json?: boolean },
  flags: Flags,
): Promise<void> {
  await withReadingApp(flags, async ({ trash }) => {
    const items = await trash.list();
    const times = timesFor(flags);
    report({ items, sizeBytes: totalBytes(items) }, options.json, () => {
      if (items.length === 0) return console.log('The trash is empty.');
      printList(linesOf(items, times), options, console.log);
      console.log(summaryOf(items));
    });
  });
}

/** Asks before, unless `yes` is set. Throws VALIDATION_ERROR (invalid age, or no terminal). */
export async function emptyTrash(options: EmptyTrashOptions, flags: Flags): Promise<void> {
  const { olderThan, yes = false, json } = options;
  const days = olderThan === undefined ? undefined : daysOf(olderThan);
  const before = days === undefined ? undefined : systemClock.now() - days * DAY_MS;
  await withApp(flags, async ({ trash, conversations }, signal) => {
    await conversations.tidy(); // finishes permanent removals that were interrupted
    const items = await trash.choose({ before });
    const question = `Remove ${summaryOf(items)} permanently?`;
    const show = () => printList(linesOf(items, timesFor(flags)), options, console.error);
    const isAsked = items.length > 0 && !yes;
    if (isAsked && !(await confirmOrEnd(question, 'Nothing was removed.', show))) return;
    const removed = await trash.removeAll(items, signal);
    report({ removed, freedBytes: totalBytes(removed) }, json, () =>
      console.log(removed.length === 0 ? 'Nothing to remove.' : `Removed: ${summaryOf(removed)}`),
    );
  });
}

/**
 * Restores what was deleted within the last days, the last deleted first. It asks before, unless `yes` is set, and
 * names what cannot be restored, such as a note whose path has another note now. VALIDATION_ERROR as above.
 */
export async function restoreNewer(options: RestoreTrashOptions, flags: Flags): Promise<void> {
  const { newerThan = '', yes = false, json } = options;
  const after = systemClock.now() - daysOf(newerThan, '--newer-than') * DAY_MS;
  await withApp(flags, async ({ trash }, signal) => {
    const items = await trash.choose({ after });
    const show = () => printList(linesOf(items, timesFor(flags)), options, console.error);
    const question = `Restore ${summaryOf(items)}?`;
    const isAsked = items.length > 0 && !yes;
    if (isAsked && !(await confirmOrEnd(question, 'Nothing was restored.', show))) return;
    const restored: TrashedItem[] = [];
    const refused: (TrashedItem & { code: string; reason: string })[] = [];
    for (const item of items) {
      signal.throwIfAborted();
      try {
        await trash.restore(item);
        restored.push(item);
      } catch (error) {
        if (!isAppError(error)) throw error;
        refused.push({ ...item, code: error.code, reason: error.message });
      }
    }
    report({ restored, refused }, json, () => console.log(`Restored: ${summaryOf(restored)}`));
    for (const { name, reason } of refused) console.error(oneLine(`${name}: ${reason}`));
    if (refused.length > 0 || items.length === 0) process.exitCode = NOTHING_FOUND;
  });
}

const summaryOf = (items: readonly TrashedItem[]) =>
  `${countOf(items.length, 'item')}, ${sizeOf(totalBytes(items))}`;

/** Shown instead of the time for an item that a person moved to the trash. */
const NO_TIME = 'by hand         ';

const linesOf = (items: readonly TrashedItem[], times: Times) =>
  items.map(({ kind, name, title, deletedAt }) => {
    const when = deletedAt === undefined ? NO_TIME : times.minute(deletedAt);
    const about = title === undefined || name.endsWith(`/${title}`) ? '' : `  ${oneLine(title)}`;
    return `${when}  ${kind.padEnd(12)}  ${oneLine(name)}${about}`;
  });
