/**
 * Insights as JSON Lines, out and in: a line is what the file of an insight holds (docs/FORMAT.md).
 * What comes in is judged as a file would be; what is there is never overwritten.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { derivedUuid } from '../base/ids.js';
import { type Line, readLines } from '../files/read-lines.js';
import { documentOf, readInsight, type StoredInsight } from '../stores/insights/insight-file.js';
import { INSIGHT_ID } from '../stores/insights/schema.js';
import type { InsightStore } from '../stores/insights.js';

export interface ImportedInsights {
  /** Ids. */
  readonly added: string[];
  readonly unchanged: string[];
  readonly refused: { place: string; code: string; reason: string }[];
}

export interface InsightImport {
  readonly store: InsightStore;
  readonly clock: Clock;
  /** Only says what would be done. */
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** One line an insight, of all contexts or of one, the oldest first. */
export async function* insightLines(store: InsightStore, context?: string): AsyncGenerator<string> {
  for (const stored of await store.all()) {
    if (context === undefined || stored.insight.context === context) yield lineOf(stored);
  }
}

const lineOf = (stored: StoredInsight) => `${JSON.stringify(documentOf(stored))}\n`;

/** `source`: see readLines. FILESYSTEM_ERROR, STORAGE_FULL. Done again it goes on where it was broken off. */
export async function importInsights(
  source: string | Readable,
  { store, clock, dryRun, signal }: InsightImport,
): Promise<ImportedInsights> {
  const report: ImportedInsights = { added: [], unchanged: [], refused: [] };
  const planned = dryRun ? await byId(store) : undefined;
  for await (const line of readLines(source)) {
    signal?.throwIfAborted();
    const place = `line ${line.number}`;
    try {
      const { stored, isNamed } = parseLine(line, place, clock.now());
      const { id } = stored.insight;
      const there = planned === undefined ? await put(store, stored) : planned.get(id);
      if (there === undefined) planned?.set(id, stored);
      if (there === undefined) report.added.push(id);
      else if (!isNamed || lineOf(there) === lineOf(stored)) report.unchanged.push(id);
      else
        report.refused.push({
          place,
          code: 'ALREADY_EXISTS',
          reason: `${id} is there and differs.`,
        });
    } catch (error) {
      if (!isAppError(error) || !OF_THE_LINE.includes(error.code)) throw error;
      report.refused.push({ place, code: error.code, reason: error.message });
    }
  }
  return report;
}

const OF_THE_LINE: readonly string[] = ['CORRUPT', 'FORMAT_TOO_NEW'];

/** What is there already. */
async function put(store: InsightStore, given: StoredInsight): Promise<StoredInsight | undefined> {
  const { stored, isNew } = await store.put(given);
  return isNew ? undefined : stored;
}

async function byId(store: InsightStore): Promise<Map<string, StoredInsight>> {
  return new Map((await store.all()).map((stored) => [stored.insight.id, stored]));
}

/**
 * CORRUPT, FORMAT_TOO_NEW. A line without an id has one made from its text, so that an import done
 * again does not add it again.
 */
function parseLine(
  { text }: Line,
  place: string,
  now: number,
): { stored: StoredInsight; isNamed: boolean } {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch (cause) {
    throw new AppError('CORRUPT', `${place} is not JSON.`, { cause });
  }
  const given = (value as { id?: unknown } | null)?.id ?? undefined;
  const id = given ?? derivedUuid('insight', JSON.stringify(value));
  if (typeof id !== 'string' || !INSIGHT_ID.test(id)) {
    throw new AppError('CORRUPT', `${place}: id takes a UUID in lower case.`);
  }
  const stored = readInsight(value, { id, path: place, modifiedAt: now });
  return { stored, isNamed: given !== undefined };
}
