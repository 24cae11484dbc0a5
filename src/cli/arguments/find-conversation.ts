/** Finds a conversation by its key, id or title, a unique beginning of one of these, or `last`. */

import { join } from 'node:path';
import { AppError, undefinedIfUnreadable } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { modifiedMs, readStamp } from '../../files/read/stamp.js';
import type { TrashedConversation } from '../../stores/conversations/conversation-trash.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import type { ConversationHead } from '../../stores/conversations/document/schema.js';
import { escapeControls } from '../terminal/terminal-text.js';

/** The name of the conversation that was changed last. */
export const LAST = 'last';
const MAX_LISTED = 5;
export const EMPTY_STORE = {
  message: 'The store has no conversation.',
  hint: 'To start one, run daybook save. To import conversations of other programs, run daybook import.',
};

/** The name for the command line: the key, or the id if there is no key. */
export const nameOfConversation = ({
  clientId,
  conversationId,
}: Pick<ConversationHead, 'clientId' | 'conversationId'>): string => clientId ?? conversationId;

/** The names of several conversations, by id. Conversations with the same key get their id as name. */
export function namesOf(
  heads: readonly Pick<ConversationHead, 'clientId' | 'conversationId'>[],
): ReadonlyMap<string, string> {
  const idsByName = new Map<string, Set<string>>();
  for (const head of heads) {
    const name = nameOfConversation(head);
    idsByName.set(name, (idsByName.get(name) ?? new Set()).add(head.conversationId));
  }
  return new Map(
    [...idsByName].flatMap(([name, ids]) =>
      [...ids].map((id): [string, string] => [id, ids.size === 1 ? name : id]),
    ),
  );
}

/**
 * Returns the id. Throws CONVERSATION_NOT_FOUND; CONFLICT if the name matches several conversations; and
 * the errors of `load` for a complete id whose file cannot be read.
 */
export async function findConversation(store: ConversationStore, name: string): Promise<string> {
  if (await isStoredId(store, name)) return name;
  const heads = await store.list();
  const found = matching(heads, name);
  const [only, second] = found;
  if (only !== undefined && second === undefined) {
    if (name === LAST) await reportNewerDamaged(store, only);
    return only.conversationId;
  }
  if (second !== undefined) throw ambiguous(name, found);
  const damaged = store.damaged();
  if (heads.length > 0 || damaged.length > 0) throw notFound(name, damaged);
  const { message, hint } = EMPTY_STORE;
  throw new AppError('CONVERSATION_NOT_FOUND', message, { hint, details: { name } });
}

/** Like `findConversation`. A damaged conversation is found by its complete id. */
export async function findAlsoDamaged(store: ConversationStore, name: string): Promise<string> {
  const isId = CONVERSATION_ID.test(name) && (await store.exists(name));
  return isId ? name : findConversation(store, name);
}

/** True if it is the complete id of a conversation. Reads only this file, and throws if it cannot be read. */
async function isStoredId(store: ConversationStore, name: string): Promise<boolean> {
  if (!CONVERSATION_ID.test(name)) return false;
  const found = await undefinedIfUnreadable(store.view(name), 'CONVERSATION_NOT_FOUND');
  return found !== undefined;
}

/** The id for an exact key, id or title; `undefined` if there is none, so that the name is a new key. */
export async function findExisting(
  store: ConversationStore,
  name: string,
): Promise<string | undefined> {
  const heads = await store.list();
  const exact = matching(heads, name, EXACT);
  if (exact.length > 1) throw ambiguous(name, exact);
  const [only] = exact;
  if (only !== undefined && name === LAST) await reportNewerDamaged(store, only);
  return only?.conversationId;
}

/** Reports on stderr damaged conversations that were changed after `last`. */
async function reportNewerDamaged(store: ConversationStore, last: ConversationHead): Promise<void> {
  for (const { conversationId, error } of store.damaged()) {
    const stamp = await readStamp(join(store.path(conversationId), 'conversation.json'));
    const isNewer = stamp && modifiedMs(stamp) > Date.parse(last.updatedAt);
    if (!isNewer) continue;
    const { message } = error;
    console.error(
      escapeControls(`${message} It was changed later than ${nameOfConversation(last)}.`),
    );
  }
}

/**
 * The deleted conversation for a name; of several with the same id, the one that was deleted last. No
 * deleted conversation is `last`. Throws CONFLICT if the name matches several conversations.
 */
export async function findDeleted(
  store: Pick<ConversationStore, 'trashed'>,
  name: string,
): Promise<TrashedConversation | undefined> {
  const found = matching(await store.trashed(), name, name === LAST ? EXACT.slice(0, 1) : RULES);
  const byId = new Map(found.toReversed().map((each) => [each.conversationId, each]));
  if (byId.size > 1) throw ambiguous(name, [...byId.values()], 'deleted conversations');
  return found[0];
}

/** The id of an archived conversation, which is never `last`. Throws CONFLICT for several matches. */
export function findArchived(archived: readonly Named[], name: string): string | undefined {
  const found = matching(archived, name, name === LAST ? EXACT.slice(0, 1) : RULES);
  if (found.length > 1) throw ambiguous(name, found, 'archived conversations');
  return found[0]?.conversationId;
}

/** The facts of a conversation, or of a deleted one, that a name can mean. */
export type Named = Pick<ConversationHead, 'conversationId' | 'clientId' | 'title' | 'branchOf'>;
type Rule = (head: Named, name: string) => boolean;

/** White space is as in a list, which shows a title in one line. */
const folded = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** The first rule that matches a conversation is used. */
const EXACT: readonly Rule[] = [
  ({ conversationId, clientId }, name) => conversationId === name || clientId === name,
  ({ title = '' }, name) => folded(title) === folded(name),
];
const RULES: readonly Rule[] = [
  ...EXACT,
  ({ conversationId }, name) => /^\d{4}[\d-]*$/.test(name) && conversationId.startsWith(name),
  ({ clientId }, name) => clientId?.startsWith(name) === true,
  ({ title = '' }, name) => folded(title).startsWith(folded(name)),
];

/** The conversations that a name can mean; those of the first rule that matches one. */
export function matching<T extends Named>(
  heads: readonly T[],
  name: string,
  rules: readonly Rule[] = RULES,
): readonly T[] {
  if (name.trim() === '') return [];
  // A key or a title that is exactly `last` comes before the meaning "changed last".
  for (const rule of rules) {
    const found = heads.filter((head) => rule(head, name));
    if (found.length > 0) return found;
    if (rule === EXACT.at(-1) && name === LAST) return heads.slice(0, 1); // the newest is first
  }
  return [];
}

function ambiguous(name: string, found: readonly Named[], what = 'conversations'): AppError {
  const names = found.slice(0, MAX_LISTED).map((head) => {
    const branch = head.branchOf && `a branch of ${head.branchOf.conversationId}`;
    const about = [head.title, branch].filter((each) => each !== undefined).join(', ');
    return `${head.conversationId}${about === '' ? '' : ` (${about})`}`;
  });
  const more = found.length > MAX_LISTED ? ', …' : '';
  return new AppError(
    'CONFLICT',
    `The name ${JSON.stringify(name)} matches ${found.length} ${what}: ${names.join(', ')}${more}`,
    {
      // A branch has the title of its source.
      hint: haveOneTitle(found) ? 'Type the whole id.' : 'Type more of the name, or the whole id.',
      details: { conversationIds: found.map(({ conversationId }) => conversationId) },
    },
  );
}

const haveOneTitle = (found: readonly Named[]) =>
  new Set(found.map(({ title = '' }) => folded(title))).size === 1;

function notFound(name: string, damaged: ReturnType<ConversationStore['damaged']>): AppError {
  const may =
    damaged.length === 1
      ? 'it may be the one that you mean'
      : 'one of them may be the one that you mean';
  const reasons = damaged.slice(0, MAX_LISTED).map(({ error }) => error.message);
  const unread =
    damaged.length === 0
      ? ''
      : ` ${countOf(damaged.length, 'conversation')} cannot be read, and ${may}: ${reasons.join(' ')}`;
  return new AppError(
    'CONVERSATION_NOT_FOUND',
    `No conversation has the key, id or title ${JSON.stringify(name)}.${unread}`,
    {
      hint: 'To see the conversations, run daybook list. If the name has a typing error, try daybook find.',
      details: { name },
    },
  );
}
