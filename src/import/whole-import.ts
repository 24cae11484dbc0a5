/**
 * Brings in documents of a store as they are, from what `daybook export` wrote: under their own ids, and
 * with nothing added, so that they can be exported again as they were. Only secrets are masked, as in
 * everything that is imported; what a store exports that masks them has none. What is here already is only
 * extended, where the export has more messages behind the same ones.
 */
import { AppError, isAppError } from '../base/errors.js';
import { readStampNow } from '../files/read/stamp.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { JsonObject, Message } from '../stores/conversations/document/schema.js';
import type { ConversationDocuments } from '../stores/conversations/files/conversation-documents.js';
import { addSummaries, takeSummaries } from '../stores/summaries/exported-summaries.js';
import type { SummaryStore } from '../stores/summaries/summary-store.js';
import { screenedBy, type TextScreen } from '../stores/text-screen.js';
import { type Account, addProblem } from './account.js';
import type { Known } from './already-imported.js';

export interface WholeImportOptions {
  readonly store: ConversationStore;
  readonly documents: ConversationDocuments;
  readonly summaries: Pick<SummaryStore, 'get' | 'put'>;
  readonly known: Known;
  readonly account: Account;
  readonly dryRun: boolean;
  readonly screen: TextScreen;
}

/**
 * Its summaries come in too, where none of their level is; a damaged file of them is left and named in
 * the account. ALREADY_EXISTS where what is here differs, CONFLICT (its key), and what writing throws.
 */
export async function bringWhole(
  conversationId: string,
  exported: JsonObject,
  options: WholeImportOptions,
): Promise<void> {
  const { value: clean, masked } = await screenedBy(options.screen, exported);
  const { value, summaries } = takeSummaries(clean);
  const asExported = masked.length === 0 ? value : takeSummaries(exported).value;
  const isNews = await bringDocument(conversationId, value, asExported, options);
  if (isNews) options.account.masked += masked.length;
  if (options.dryRun) return;
  try {
    await addSummaries(conversationId, summaries, options.summaries);
  } catch (error) {
    if (!isAppError(error, 'CORRUPT')) throw error;
    addProblem(options.account, { path: conversationId }, error); // the conversation came in
  }
}

/**
 * Whether anything came in. A conversation that was written here by hand, with a secret, is compared as it
 * was exported; one that came in before is compared as it came in.
 */
async function bringDocument(
  conversationId: string,
  value: JsonObject,
  asExported: JsonObject,
  { store, documents, known, account, dryRun }: WholeImportOptions,
): Promise<boolean> {
  const { head, text } = documents.parse(conversationId, value, conversationId);
  const current = await documents.read(conversationId);
  if (current === undefined) {
    const { clientId } = head;
    if (clientId !== undefined && known.isKeyTaken(clientId)) throw keyTaken(clientId);
    if (!dryRun) {
      await addUnder(conversationId, value, { store, documents });
    }
    if (clientId !== undefined) known.takeKey(clientId);
    account.added += 1;
    account.messages += head.messageCount;
    return true;
  }
  const exported = documents.parse(conversationId, asExported, conversationId).text;
  const fresh = messagesAfter(current.text, text) ?? messagesAfter(current.text, exported);
  if (fresh === undefined) throw differs(conversationId);
  if (fresh.length > 0 && !dryRun) await store.append(conversationId, fresh);
  account[fresh.length > 0 ? 'updated' : 'unchanged'] += 1;
  account.messages += fresh.length;
  return fresh.length > 0;
}

/**
 * A new conversation under its own id, written together with others; alone if its folder is there without a
 * `conversation.json`. ALREADY_EXISTS (its id or key is taken), and what writing throws.
 */
export async function addUnder(
  conversationId: string,
  value: JsonObject,
  { store, documents }: Pick<WholeImportOptions, 'store' | 'documents'>,
): Promise<void> {
  if (readStampNow(store.path(conversationId)) === undefined) {
    await store.create({ whole: documents.document(conversationId, value), isBatched: true });
  } else {
    await documents.add(conversationId, value);
    await store.refreshOne(conversationId);
  }
}

/** What the export has behind the messages that are here; `undefined` where the two differ otherwise. */
function messagesAfter(here: string, there: string): Message[] | undefined {
  if (here === there) return [];
  const [old, now] = [here, there].map((text) => JSON.parse(text) as { messages: Message[] });
  const [before = [], after = []] = [old?.messages, now?.messages];
  const common = Math.min(before.length, after.length);
  const isSame = before
    .slice(0, common)
    .every((message, index) => JSON.stringify(message) === JSON.stringify(after[index]));
  return isSame ? after.slice(common) : undefined;
}

function keyTaken(clientId: string): AppError {
  return new AppError('CONFLICT', `Another conversation has the key ${clientId} here.`);
}

export function differs(conversationId: string): AppError {
  return new AppError('ALREADY_EXISTS', `${conversationId} exists here with other messages.`, {
    hint: 'To add the conversations that differ as new conversations, run daybook restore --as-new with the export.',
  });
}
