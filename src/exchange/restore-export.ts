/**
 * Restores the conversations of an export under their own ids, with all their fields. Existing
 * conversations are never changed: an identical one is skipped; one that differs is refused or, with
 * `asNew`, restored under a new id. Restoring again changes nothing more.
 */

import { AppError, appErrorOf, isAppError } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import type { JsonObject } from '../base/json-fields.js';
import { WriteSlots } from '../files/write-slots.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import { restoredFromIn } from '../stores/conversations/document/restored-from.js';
import type {
  ConversationDocuments,
  WholeConversation,
} from '../stores/conversations/files/conversation-documents.js';
import { addUnder } from '../stores/conversations/writing/add-under.js';
import {
  addSummaries,
  summariesIn,
  withoutSummaries,
} from '../stores/summaries/exported-summaries.js';
import type { Summaries } from '../stores/summaries/summary-file.js';
import type { SummaryStore } from '../stores/summaries/summary-store.js';
import { type ExportedConversation, type ExportRecord, readExport } from './read-export.js';

/** They are written in batches, which give a key only to one conversation. */
const SLOTS = { atOnce: 64, weight: 16 * 1024 * 1024 };

export interface RestoreExportOptions {
  readonly store: ConversationStore;
  readonly documents: ConversationDocuments;
  readonly summaries: Pick<SummaryStore, 'get' | 'put'>;
  /** True: a conversation that differs from the stored one is restored under a new id, once. */
  readonly asNew: boolean;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
  onProgress?(conversations: number): void;
}

export interface RestoredConversations {
  readonly restored: string[];
  readonly unchanged: string[];
  /** `id` is absent in a dry run. */
  readonly asNew: { from: string; id?: string }[];
  readonly refused: { location: string; conversationId?: string; code: string; reason: string }[];
}

/** Throws STORAGE_FULL and what `readExport` throws; other errors of one conversation are in the report. */
export async function restoreExport(
  path: string,
  options: RestoreExportOptions,
): Promise<RestoredConversations> {
  const report: RestoredConversations = { restored: [], unchanged: [], asNew: [], refused: [] };
  const known = await readStoreState(options.store);
  const slots = new WriteSlots(SLOTS);
  let done = 0;
  try {
    for await (const record of readExport(path)) {
      options.signal?.throwIfAborted();
      await refusing(record, report, () => {
        if (record.error !== undefined) throw record.error;
        return restoreRecord(record, options, report, known, slots);
      });
      options.onProgress?.(++done);
    }
  } finally {
    await slots.settled();
  }
  slots.throwIfFailed();
  return report;
}

/** Adds an error of this conversation to the report. */
async function refusing(
  { location, conversationId }: ExportRecord,
  report: RestoredConversations,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isAppError(error) || error.code === 'STORAGE_FULL') throw error;
    const { code, message: reason } = error;
    report.refused.push({ location, ...(conversationId && { conversationId }), code, reason });
  }
}

/** State of the store, read once, because reading it for each conversation would take quadratic time. */
interface StoreState {
  /** Ids of the export that were already processed. */
  readonly seen: Set<string>;
  readonly keys: Set<string>;
  /** Ids of conversations that were restored under a new id, by the hash of their original. */
  readonly origins: Map<unknown, string>;
}

async function readStoreState(store: ConversationStore): Promise<StoreState> {
  const heads = await store.list();
  const keys = heads.flatMap(({ clientId }) => clientId ?? []);
  const origins = heads.map(
    ({ metadata, conversationId }) => [restoredFromIn(metadata)?.sha256, conversationId] as const,
  );
  return { seen: new Set(), keys: new Set(keys), origins: new Map(origins) };
}

async function restoreRecord(
  record: ExportedConversation,
  options: RestoreExportOptions,
  report: RestoredConversations,
  known: StoreState,
  slots: WriteSlots,
): Promise<void> {
  const { location, conversationId: id, value: exported } = record;
  if (!CONVERSATION_ID.test(id)) {
    throw new AppError(
      'VALIDATION_ERROR',
      `${JSON.stringify(id.slice(0, 80))} is not a conversation id.`,
    );
  }
  if (known.seen.has(id)) throw new AppError('CONFLICT', `${id} is in the export twice.`);
  known.seen.add(id);
  const { documents, dryRun } = options;
  const value = withoutSummaries(exported);
  const summaries = summariesIn(exported);
  const wanted = await documents.parse(id, value, location);
  const refusal = await conflictOf(id, wanted, documents, known);
  if (refusal === 'identical') {
    report.unchanged.push(id);
    if (!dryRun) await addSummaries(id, summaries, options.summaries);
    return;
  }
  const asNew = () => restoreAsNew(wanted, summaries, options, report, known);
  if (refusal !== undefined) {
    if (options.asNew) return asNew();
    throw refusal;
  }
  if (wanted.head.clientId !== undefined) known.keys.add(wanted.head.clientId);
  report.restored.push(id);
  if (dryRun) return;
  await slots.add(wanted.text.length, () =>
    refusing(record, report, async () => {
      const refused = await appErrorOf(() => addUnder(id, value, options));
      if (refused === undefined) return addSummaries(id, summaries, options.summaries);
      report.restored.splice(report.restored.indexOf(id), 1);
      // Another process has given its id or its key to another conversation meanwhile.
      const isTaken = refused.code === 'ALREADY_EXISTS' && options.asNew;
      if (!isTaken) throw refused;
      await asNew();
    }),
  );
}

/** Why the conversation cannot be restored under its own id; `undefined` if it can. */
async function conflictOf(
  id: string,
  wanted: WholeConversation,
  documents: ConversationDocuments,
  { keys }: StoreState,
): Promise<AppError | 'identical' | undefined> {
  const current = await documents.read(id);
  if (current?.text === wanted.text) return 'identical';
  if (current !== undefined) {
    return new AppError('ALREADY_EXISTS', `${id} exists with other content; it was not changed.`);
  }
  const { clientId } = wanted.head;
  if (clientId === undefined || !keys.has(clientId)) return undefined;
  return new AppError('CONFLICT', `Another conversation has the key ${clientId} of ${id} now.`);
}

/** The present owner keeps the key; `metadata.restoredFrom` names the original. */
async function restoreAsNew(
  { head, text }: WholeConversation,
  summaries: Summaries,
  { documents, dryRun, ...options }: RestoreExportOptions,
  report: RestoredConversations,
  { origins }: StoreState,
): Promise<void> {
  const from = head.conversationId;
  const sha256 = sha256Hex(text);
  const before = origins.get(sha256);
  if (before !== undefined) return void report.unchanged.push(before);
  if (dryRun) return void report.asNew.push({ from });
  const { conversationId: _id, clientId: _key, ...fields } = JSON.parse(text) as JsonObject;
  const metadata = { ...head.metadata, restoredFrom: { conversationId: from, sha256 } };
  const id = await documents.addAsNew({ ...fields, metadata });
  report.asNew.push({ from, id });
  await addSummaries(id, summaries, options.summaries);
}
