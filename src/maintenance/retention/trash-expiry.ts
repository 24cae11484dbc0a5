/** Which entries of the trash are removed permanently: those that are there too long, or take too much room. */
import { type Clock, DAY_MS } from '../../base/clock.js';
import { totalBytes } from '../../base/total-bytes.js';
import { isNearlyFull, type MeasuredSize } from '../size-limit.js';
import type { TrashBin, TrashedItem } from '../trash-bin.js';

export interface TrashRules {
  readonly trash: TrashBin;
  /** 0: the trash is not emptied. */
  readonly trashKeepDays: number;
  readonly clock: Clock;
}

/**
 * Returns the entries that have been in the trash longer than its period. With `bySize`, if the store is
 * nearly full, and store and trash together exceed the limit, also the oldest entries.
 */
export async function expiredTrash(
  { trash, trashKeepDays, clock }: TrashRules,
  { bySize, emptiesTrash }: { readonly bySize: boolean; readonly emptiesTrash?: boolean },
  size: MeasuredSize,
): Promise<TrashedItem[]> {
  const before = clock.now() - trashKeepDays * DAY_MS;
  const expired = emptiesTrash && trashKeepDays > 0 ? await trash.choose({ before }) : [];
  if (!bySize || !isNearlyFull(size)) return expired;
  let excess = size.sizeBytes + size.trashBytes - size.limitBytes - totalBytes(expired);
  const names = new Set(expired.map(({ name }) => name));
  for (const item of (await trash.choose({ before: clock.now() })).reverse()) {
    if (excess <= 0) break;
    if (names.has(item.name)) continue;
    expired.push(item);
    excess -= item.sizeBytes;
  }
  return expired;
}
