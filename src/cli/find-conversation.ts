/**
 * The conversation that the user names on the command line: by its key, its id, a unique beginning
 * of either, its title or a unique beginning of that, or the word `last`.
 */
import { join } from 'node:path';
import { AppError, isAppError } from '../base/errors.js';
import { readStamp } from '../files/read/stamp.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { CONVERSATION_ID, type ConversationHead } from '../stores/conversations/document/schema.js';
import { countOf } from './terminal/output.js';
import { escapeControls } from './terminal/terminal-text.js';

/** The conversation that was changed last. */
const LAST = 'last';
const MOST_NAMED = 5;

/** The name that people type: the key where there is one. */
export const nameOfConversation = ({
  clientId,
  conversationId,
}: Pick<ConversationHead, 'clientId' | 'conversationId'>): string => clientId ?? conversationId;

/** The same for each of these, by its id: where two have the same key, the id instead. */
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
 * Its id. CONVERSATION_NOT_FOUND; CONFLICT where the name fits several; what `load` throws for a
 * complete id whose file cannot be read.
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
  if (heads.length === 0 && store.damaged().length === 0) throw noneYet(name);
  throw notFound(name, store);
}

/** Whether it is the complete id of a conversation. Reads only its file; throws where that cannot be read. */
async function isStoredId(store: ConversationStore, name: string): Promise<boolean> {
  if (!CONVERSATION_ID.test(name)) return false;
  try {
    await store.load(name);
    return true;
  } catch (error) {
    if (isAppError(error, 'CONVERSATION_NOT_FOUND')) return false;
    throw error;
  }
}

/** The same for a name that may also be a new key: `undefined` where no conversation has it. */
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

/** Names on stderr what may be the last one, but cannot be read. */
async function reportNewerDamaged(store: ConversationStore, last: ConversationHead): Promise<void> {
  for (const { conversationId, error } of store.damaged()) {
    const stamp = await readStamp(join(store.path(conversationId), 'conversation.json'));
    const isNewer = stamp && Number(stamp.mtimeNs) / 1e6 > Date.parse(last.updatedAt);
    if (!isNewer) continue;
    const { message } = error;
    console.error(
      escapeControls(`${message} It was changed later than ${nameOfConversation(last)}.`),
    );
  }
}

type Rule = (head: ConversationHead, name: string) => boolean;

const folded = (text: string) => text.normalize('NFKC').toLowerCase().trim();

/** The first rule that fits any conversation decides. */
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

function matching(
  heads: readonly ConversationHead[],
  name: string,
  rules: readonly Rule[] = RULES,
): readonly ConversationHead[] {
  if (name.trim() === '') return [];
  // A key or a title that is the word itself comes first.
  for (const rule of rules) {
    const found = heads.filter((head) => rule(head, name));
    if (found.length > 0) return found;
    if (rule === EXACT.at(-1) && name === LAST) return heads.slice(0, 1); // the newest is first
  }
  return [];
}

function ambiguous(name: string, found: readonly ConversationHead[]): AppError {
  const names = found.slice(0, MOST_NAMED).map((head) => {
    const title = head.title === undefined ? '' : ` (${head.title})`;
    return `${head.conversationId}${title}`;
  });
  const more = found.length > MOST_NAMED ? ', …' : '';
  return new AppError(
    'CONFLICT',
    `The name ${JSON.stringify(name)} fits ${found.length} conversations: ${names.join(', ')}${more}`,
    {
      hint: 'Type more of the name, or the whole id.',
      details: { conversationIds: found.map(({ conversationId }) => conversationId) },
    },
  );
}

const noneYet = (name: string) =>
  new AppError('CONVERSATION_NOT_FOUND', 'There is no conversation yet.', {
    hint: 'To start one, run daybook save. To import conversations of other programs, run daybook import.',
    details: { name },
  });

function notFound(name: string, store: ConversationStore): AppError {
  const damaged = store.damaged();
  const may =
    damaged.length === 1
      ? 'it may be the one that you mean'
      : 'one of them may be the one that you mean';
  const reasons = damaged.slice(0, MOST_NAMED).map(({ error }) => error.message);
  const unread =
    damaged.length === 0
      ? ''
      : ` ${countOf(damaged.length, 'conversation')} cannot be read, and ${may}: ${reasons.join(' ')}`;
  return new AppError(
    'CONVERSATION_NOT_FOUND',
    `No conversation has the key, id or title ${JSON.stringify(name)}.${unread}`,
    { hint: 'To see the conversations, run daybook list.', details: { name } },
  );
}
