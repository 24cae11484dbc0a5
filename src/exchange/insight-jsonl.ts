/**
 * Exports and imports insights as JSON Lines. A line has the fields of an insight's file (docs/FORMAT.md)
 * and is validated like such a file. An existing insight is not overwritten, unless `newer` is set.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { derivedUuid } from '../base/ids.js';
import { type Line, readLines } from '../files/read/read-lines.js';
import { documentOf, readInsight } from '../stores/insights/insight-file.js';
import type { InsightStore, PutInsight } from '../stores/insights/insights.js';
import { INSIGHT_ID, type StoredInsight } from '../stores/insights/schema.js';
import { requireDepthToRead } from '../stores/json-depth.js';

export interface ImportedInsights {
  /** Ids. */
  readonly added: string[];
  /** Ids of insights that a newer line replaced; only with `newer`. */
  readonly updated: string[];
  readonly unchanged: string[];
  readonly refused: { place: string; code: string; reason: string }[];
}

export interface InsightImport {
  readonly store: InsightStore;
  readonly clock: Clock;
  /** Reports what the import would do, and changes nothing. */
  readonly dryRun: boolean;
  /** A line whose time is later replaces the insight of the same id. */
  readonly newer?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** One line for each insight, of one context or of all, oldest first. */
export async function* insightLines(store: InsightStore, context?: string): AsyncGenerator<string> {
  for (const stored of await store.all()) {
    if (context === undefined || stored.insight.context === context) yield lineOf(stored);
  }
}

const lineOf = (stored: StoredInsight) => `${JSON.stringify(documentOf(stored))}\n`;

interface GivenInsight {
  readonly stored: StoredInsight;
  /** Whether the line has an id. */
  readonly isNamed: boolean;
  /** Whether the line has a time. Without one it is never newer than a stored insight. */
  readonly isDated: boolean;
}

interface WrittenInsight extends PutInsight {
  readonly given: GivenInsight;
}

/** A line whose insight is being written. */
interface Begun {
  readonly place: string;
  /** Rejects for a line that cannot be read, too. */
  readonly written: Promise<WrittenInsight>;
}

/** More than a batch, so that lines are read during a write. */
const LINES_AT_ONCE = 512;

/**
 * `source`: see readLines. The lines are written in batches. To complete an interrupted import, run it again.
 * Throws FILESYSTEM_ERROR or STORAGE_FULL, when all insights that were begun are written or refused.
 */
export async function importInsights(
  source: string | Readable,
  { store, clock, dryRun, newer = false, signal }: InsightImport,
): Promise<ImportedInsights> {
  const report: ImportedInsights = { added: [], updated: [], unchanged: [], refused: [] };
  const put = dryRun ? await dryPut(store) : realPut(store);
  const begin = async (line: Line, place: string): Promise<WrittenInsight> => {
    const given = parseLine(line, place, clock.now());
    return { given, ...(await put(given, newer)) };
  };
  const begun: Begun[] = [];
  const finish = async (count: number) => {
    for (const one of begun.slice(0, count)) {
      await addTo(report, one, { store, newer });
      begun.shift();
    }
  };
  try {
    for await (const line of readLines(source)) {
      signal?.throwIfAborted();
      const place = `line ${line.number}`;
      const written = begin(line, place);
      written.catch(() => undefined); // `addTo` throws it
      begun.push({ place, written });
      if (begun.length === LINES_AT_ONCE) await finish(1);
    }
    await finish(begun.length);
  } finally {
    await Promise.allSettled(begun.map(({ written }) => written));
  }
  return report;
}

async function addTo(
  report: ImportedInsights,
  { place, written }: Begun,
  { store, newer }: { readonly store: InsightStore; readonly newer: boolean },
): Promise<void> {
  try {
    const { given, outcome, stored: there } = await written;
    const { stored, isNamed } = given;
    const { id } = stored.insight;
    const maskedLine = async (one: StoredInsight) => lineOf(await store.asStored(one));
    // Both are masked: what a dry run planned is not yet, and what a person wrote is not at all.
    const isSame = async () =>
      (await maskedLine(there)) === (await maskedLine(withTimes(given, there)));
    if (outcome === 'added') report.added.push(id);
    else if (outcome === 'replaced') report.updated.push(id);
    else if (!isNamed || (await isSame())) report.unchanged.push(id);
    else report.refused.push({ place, ...differs(id, newer) });
  } catch (error) {
    if (!isAppError(error, 'CORRUPT', 'FORMAT_TOO_NEW')) throw error;
    report.refused.push({ place, code: error.code, reason: error.message });
  }
}

function differs(id: string, newer: boolean) {
  const reason = newer
    ? `The insight ${id} exists with other content and is not older. It was not changed.`
    : `The insight ${id} exists with other content. It was not changed.`;
  return { code: 'ALREADY_EXISTS', reason };
}

/** A line without a time has that of its import, so it gets the times of the stored insight to be compared. */
function withTimes({ stored, isDated }: GivenInsight, { insight: there }: StoredInsight) {
  const { created_at, updated_at } = there;
  return isDated ? stored : { ...stored, insight: { ...stored.insight, created_at, updated_at } };
}

type Put = (given: GivenInsight, newer: boolean) => Promise<PutInsight>;

const realPut =
  (store: InsightStore): Put =>
  ({ stored, isDated }, newer) =>
    store.put(stored, { replacesOlder: newer && isDated });

/** Returns the same results as `realPut`, without writing. */
async function dryPut(store: InsightStore): Promise<Put> {
  const planned = new Map((await store.all()).map((stored) => [stored.insight.id, stored]));
  return async ({ stored: given, isDated }, newer) => {
    const { id, updated_at } = given.insight;
    const there = planned.get(id);
    const isOlder = there !== undefined && there.insight.updated_at < updated_at;
    if (there !== undefined && !(newer && isDated && isOlder)) {
      return { outcome: 'unchanged', stored: there };
    }
    planned.set(id, given);
    return { outcome: there === undefined ? 'added' : 'replaced', stored: given };
  };
}

/** A missing id is derived from the text, for repeated imports. Throws CORRUPT or FORMAT_TOO_NEW. */
function parseLine({ text }: Line, place: string, now: number): GivenInsight {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch (cause) {
    throw new AppError('CORRUPT', `${place} is not JSON.`, { cause });
  }
  requireDepthToRead(value, place);
  const given = (value as { id?: unknown } | null)?.id ?? undefined;
  const id = given ?? derivedUuid('insight', JSON.stringify(value));
  if (typeof id !== 'string' || !INSIGHT_ID.test(id)) {
    throw new AppError('CORRUPT', `${place}: id must be a UUID in lower case.`);
  }
  const stored = readInsight(value, { id, path: place, modifiedAt: now });
  return { stored, isNamed: given !== undefined, isDated: stored.insight.updated_at !== now };
}
