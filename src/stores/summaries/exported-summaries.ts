/**
 * Summaries in exports: what `summaries.json` holds goes along with its conversation, in a field of the
 * file's name, and comes back beside it. A summary that is there already is never replaced.
 */
import { isRecord } from '../../base/is-record.js';
import type { JsonObject } from '../conversations/document/schema.js';
import { versionOf } from '../format-steps.js';
import { readSummaries, SUMMARY_LEVELS, type Summaries } from './summary-file.js';
import type { SummaryStore } from './summary-store.js';

/** No field of a conversation is called like it. */
const FIELD = 'summaries.json';

/** The document with its summaries; the same where it has none. Throws like `SummaryStore.get`. */
export async function withSummaries<T extends { readonly conversationId: string }>(
  document: T,
  store: Pick<SummaryStore, 'get'>,
): Promise<T> {
  const found = Object.entries(await store.get(document.conversationId));
  if (found.length === 0) return document;
  const summaries = Object.fromEntries(found.map(([name, { level: _, ...rest }]) => [name, rest]));
  return { ...document, [FIELD]: { formatVersion: versionOf('summaries'), summaries } };
}

/** The conversation as it was, and the summaries that came with it. FORMAT_TOO_NEW. */
export function takeSummaries(value: JsonObject): { value: JsonObject; summaries: Summaries } {
  const { [FIELD]: file, ...rest } = value;
  if (!isRecord(file)) return { value, summaries: {} };
  const at = { path: FIELD, conversationId: String(value['conversationId']) };
  return { value: rest, summaries: readSummaries(file, at) };
}

/** Puts those whose level is empty; durable when it resolves. Throws like `SummaryStore.put`. */
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
    await store.put(conversationId, level, stored);
  }
}
