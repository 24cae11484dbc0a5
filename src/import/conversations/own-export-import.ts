/**
 * Imports documents that `daybook export` wrote, unchanged and under their own ids, so that a new export is
 * the same. Only secrets are masked, as in every import. An existing conversation is only extended by the
 * messages that follow the same messages in the export.
 */
import { later } from '../../base/clock.js';
import { AppError, undefinedIfUnreadable } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { markIn } from '../../stores/conversations/document/import-mark.js';
import { restoredFromIn } from '../../stores/conversations/document/restored-from.js';
import type {
  ConversationHead,
  JsonObject,
  Message,
} from '../../stores/conversations/document/schema.js';
import type {
  ConversationDocuments,
  WholeConversation,
} from '../../stores/conversations/files/conversation-documents.js';
import { addUnder } from '../../stores/conversations/writing/add-under.js';
import { summariesIn, withoutSummaries } from '../../stores/summaries/exported-summaries.js';
import type { SummaryStore } from '../../stores/summaries/summary-store.js';
import { maskedBy, type TextMasker } from '../../stores/text-masker.js';
import { addLeftOut, type ImportOutcome } from '../import-outcome.js';
import type { AlreadyImported } from './already-imported.js';
import { importSummaries } from './summary-import.js';

export interface WholeImportOptions {
  readonly store: ConversationStore;
  readonly documents: ConversationDocuments;
  readonly summaries: Pick<SummaryStore, 'get' | 'put'>;
  readonly known: AlreadyImported;
  readonly outcome: ImportOutcome;
  readonly dryRun: boolean;
  readonly masker: TextMasker;
}

/**
 * Imports one conversation, and its summaries for levels that have none (see `importSummaries`). A key that
 * another conversation has here is left out. Throws ALREADY_EXISTS (the stored conversation differs), and what
 * writing throws.
 */
export async function importWhole(
  conversationId: string,
  exported: JsonObject,
  options: WholeImportOptions,
): Promise<void> {
  const { value: clean, masked } = await maskedBy(options.masker, exported);
  const value = withoutSummaries(clean);
  const asExported = masked.length === 0 ? value : withoutSummaries(exported);
  const isChanged = await importDocument(conversationId, value, asExported, options);
  if (isChanged) options.outcome.masked += masked.length;
  await importSummaries(conversationId, () => summariesIn(clean), options);
}

/**
 * Returns whether messages were imported. The stored conversation is compared with the masked export and,
 * because its secrets may have been written by hand, with the export itself.
 */
async function importDocument(
  conversationId: string,
  value: JsonObject,
  asExported: JsonObject,
  { store, documents, known, outcome, dryRun }: WholeImportOptions,
): Promise<boolean> {
  const { head, text } = await documents.parse(conversationId, value, conversationId);
  const current = await documents.read(conversationId);
  const source = { kind: 'daybook', id: conversationId };
  const plan = { count: head.messageCount, version: '' };
  const planned = known.planned(source)?.count;
  if (planned !== undefined) {
    // A dry run does not keep the texts, so it takes both for versions of one conversation.
    const more = Math.max(0, head.messageCount - planned);
    outcome[more > 0 ? 'updated' : 'unchanged'] += 1;
    outcome.messages += more;
    if (more > 0) known.plan(source, plan);
    return false;
  }
  if (current === undefined) {
    if (await isCopyOfOneHere(head, documents)) {
      outcome.unchanged += 1;
      return false;
    }
    const { clientId } = head;
    const { clientId: _key, ...keyless } = value;
    const isTaken = clientId !== undefined && known.isKeyTaken(clientId);
    if (isTaken) addLeftOut(outcome, 'keys that another conversation has here');
    else if (clientId !== undefined) known.takeKey(clientId);
    if (dryRun) known.plan(source, plan);
    else await addUnder(conversationId, isTaken ? keyless : value, { store, documents });
    outcome.added += 1;
    outcome.messages += head.messageCount;
    return true;
  }
  const { text: exported } = await documents.parse(conversationId, asExported, conversationId);
  const isRestored = () => [text, exported].some((each) => known.isRestoredAsNew(sha256Hex(each)));
  const following =
    (await newMessages(current, text, store)) ??
    (await newMessages(current, exported, store)) ??
    (isRestored() ? NO_MESSAGES : undefined);
  if (following === undefined) throw differs(conversationId);
  const { fresh, deleted } = following;
  if (deleted > 0) addLeftOut(outcome, 'messages deleted here', deleted);
  if (fresh.length > 0 && dryRun) known.plan(source, plan);
  else if (fresh.length > 0) {
    await store.revise(conversationId, (now) => {
      const ids = new Set(now.messages.map(({ id }) => id));
      return {
        updatedAt: later(now.updatedAt, head.updatedAt),
        messages: [...now.messages, ...fresh.filter(({ id }) => !ids.has(id))],
      };
    });
  }
  outcome[fresh.length > 0 ? 'updated' : 'unchanged'] += 1;
  outcome.messages += fresh.length;
  return fresh.length > 0;
}

interface Following {
  readonly fresh: readonly Message[];
  /** How many messages of the export were deleted here. */
  readonly deleted: number;
}

const NO_MESSAGES: Following = { fresh: [], deleted: 0 };

/**
 * The messages that the export has after those that are here, without those that were deleted here; `undefined` if
 * the two differ in another way.
 */
async function newMessages(
  { head, text: here }: WholeConversation,
  there: string,
  store: ConversationStore,
): Promise<Following | undefined> {
  if (here === there) return NO_MESSAGES;
  const [stored, given] = [messagesIn(here), messagesIn(there)];
  if (messagesAfter(stored, given)?.length === 0) return NO_MESSAGES;
  const deleted = await deletedHere(head.conversationId, stored, store);
  const wanted = given.filter(({ id }) => !deleted.has(id));
  const fresh = messagesAfter(stored, wanted);
  return fresh && { fresh, deleted: given.length - wanted.length };
}

const messagesIn = (text: string) => (JSON.parse(text) as { messages: Message[] }).messages;

/** The messages of `there` after those of `here`; `undefined` if the messages before them differ. */
function messagesAfter(here: readonly Message[], there: readonly Message[]) {
  const common = Math.min(here.length, there.length);
  const isSame = here
    .slice(0, common)
    .every((message, index) => JSON.stringify(message) === JSON.stringify(there[index]));
  return isSame ? there.slice(common) : undefined;
}

/**
 * The ids of the messages of earlier versions that are not here now, and of those that the mark of the conversation
 * names as deleted.
 */
async function deletedHere(
  conversationId: string,
  stored: readonly Message[],
  store: ConversationStore,
) {
  const mark = markIn(store.knownHead(conversationId)?.metadata);
  const ids = new Set(mark?.deleted);
  for (const { number } of (await store.history.list(conversationId)).versions) {
    const version = await undefinedIfUnreadable(store.history.read(conversationId, number));
    for (const { id } of version?.messages ?? []) ids.add(id);
  }
  for (const { id } of stored) ids.delete(id);
  return ids;
}

/** Whether it is a copy, made by `restore --as-new`, of a conversation that is here unchanged under its own id. */
async function isCopyOfOneHere({ metadata }: ConversationHead, documents: ConversationDocuments) {
  const origin = restoredFromIn(metadata);
  const here = origin && (await documents.read(origin.conversationId));
  return here !== undefined && sha256Hex(here.text) === origin?.sha256;
}

/** The error for a conversation of an own export whose id exists here with other messages. */
export function differs(conversationId: string): AppError {
  return new AppError(
    'ALREADY_EXISTS',
    `${conversationId} exists here with other messages. It was not changed. To add the other version as a new conversation, write it there with daybook export ${conversationId} -o FILE, and run daybook restore FILE --as-new here.`,
  );
}
