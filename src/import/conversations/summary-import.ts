/**
 * Imports the summaries of conversations. A summary is added only if the stored conversation has none of its level.
 * Nothing that goes wrong with summaries leaves out a conversation.
 */
import { isAppError } from '../../base/errors.js';
import { addSummaries } from '../../stores/summaries/exported-summaries.js';
import { type Summaries, sourceHashOf } from '../../stores/summaries/summary-file.js';
import type { SummaryStore } from '../../stores/summaries/summary-store.js';
import { addProblem, type ImportOutcome } from '../import-outcome.js';
import type { ImportedConversation } from '../source-interface.js';
import type { AlreadyImported } from './already-imported.js';
import type { Candidate } from './planned-conversation.js';

interface SummaryImportOptions {
  readonly summaries: Pick<SummaryStore, 'get' | 'put'>;
  readonly outcome: ImportOutcome;
  readonly dryRun: boolean;
}

/** Summaries that are damaged or of a newer format, in the import or in the store, are reported as a problem. */
export async function importSummaries(
  conversationId: string,
  given: () => Summaries,
  { dryRun, outcome, summaries: store }: SummaryImportOptions,
): Promise<void> {
  try {
    const summaries = given();
    if (!dryRun) await addSummaries(conversationId, summaries, store);
  } catch (error) {
    if (!isAppError(error, 'CORRUPT', 'FORMAT_TOO_NEW')) throw error;
    addProblem(outcome, { path: conversationId }, error);
  }
}

/**
 * Adds the summaries of another program, also to a conversation that did not change: an earlier import may have been
 * killed before this step. A summary is stored as current if its message count equals the number of imported
 * messages, otherwise as stale.
 */
export async function importSourceSummaries(
  { mark, messages }: Candidate,
  given: NonNullable<ImportedConversation['summaries']>,
  options: SummaryImportOptions & { readonly known: AlreadyImported },
): Promise<void> {
  const conversationId = options.known.get(mark)?.conversationId;
  if (conversationId === undefined) return;
  const count = messages.filter(({ role }) => role !== 'system').length;
  const found = Object.entries(given).map(([level, summary]) => [
    level,
    { ...summary, sourceHash: summary.messageCount === count ? sourceHashOf(messages) : '' },
  ]);
  await importSummaries(conversationId, () => Object.fromEntries(found), options);
}
