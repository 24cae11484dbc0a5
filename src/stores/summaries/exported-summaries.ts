/**
 * Summaries in exports. An exported conversation has its summaries in the field `summaries.json`; an import
 * writes them to the file of that name. An existing summary is never replaced.
 */
import { isRecord, type JsonObject } from '../../base/json-fields.js';
import { versionOf } from '../format-migrations.js';
import { readSummaries, SUMMARY_LEVELS, type Summaries } from './summary-file.js';
import type { SummaryStore } from './summary-store.js';

/** The name of the field. Conversations have no other field of this name. */
const FIELD = 'summaries.json';

/** Returns the document with its summaries; unchanged if it has none. Throws like `SummaryStore.get`. */
export async function withSummaries<T extends { readonly conversationId: string }>(
  document: T,
  store: Pick<SummaryStore, 'get'>,
): Promise<T> {
  const found = Object.entries(await store.get(document.conversationId));
  if (found.length === 0) return document;
  const summaries = Object.fromEntries(found.map(([name, { level: _, ...rest }]) => [name, rest]));
  return withSummaryFile(document, { formatVersion: versionOf('summaries'), summaries });
}

/** Returns the document as in an export, with the content of its `summaries.json`. */
export const withSummaryFile = <T extends object>(document: T, file: JsonObject): T => ({
  ...document,
  [FIELD]: file,
});

/** The exported conversation without its summaries. */
export function withoutSummaries(value: JsonObject): JsonObject {
  const { [FIELD]: file, ...rest } = value;
  return isRecord(file) ? rest : value;
}

/** The summaries of an exported conversation. FORMAT_TOO_NEW, CORRUPT. */
export function summariesIn({ [FIELD]: file, conversationId }: JsonObject): Summaries {
  if (!isRecord(file)) return {};
  return readSummaries(file, { path: FIELD, conversationId: String(conversationId) });
}

/**
 * Stores the summaries whose level has none yet. Durable when it resolves. Throws like `SummaryStore.put`.
 */
export async function addSummaries(
  conversationId: string,
  summaries: Summaries,
  store: Pick<SummaryStore, 'get' | 'put'>,
): Promise<void> {
  if (Object.keys(summaries).length === 0) return;
  const there = await store.get(conversationId);
  for (const level of SUMMARY_LEVELS) {
    const summary = summaries[level];
    if (summary === undefined || there[level] !== undefined) continue;
    const { level: _, tokenCount: __, ...stored } = summary;
    await store.put(conversationId, level, stored, { onlyIfAbsent: true });
  }
}
