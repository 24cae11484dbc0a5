/**
 * Extends the answer about a conversation, a note or an insight that does not exist: it says whether the item is
 * in the trash or may be archived, whether a damaged file may have the key of the conversation, and which notes
 * have the same name in another folder.
 */
import { posix } from 'node:path';
import type { App } from '../app.js';
import {
  AppError,
  errorWith,
  isAppError,
  undefinedIfUnreadable,
  withHint,
} from '../base/errors.js';
import { countOf } from '../base/text/display-text.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';

/** The trash is not read if it has more conversations: each of them is one file. */
const MAX_READ = 500;

/** Returns the id of the deleted conversation with this id or key; `undefined` if there is none. */
export async function trashedId({ conversations }: App, ref: string): Promise<string | undefined> {
  try {
    const count = await conversations.countTrashed();
    if (count === 0 || count > MAX_READ) return undefined;
    const trashed = await conversations.trashed();
    return trashed.find((each) => [each.conversationId, each.clientId].includes(ref))
      ?.conversationId;
  } catch (error) {
    if (isAppError(error)) return undefined; // the trash cannot be read
    throw error;
  }
}

/** Larger archives are not read: a megabyte takes about a second. */
const MAX_ARCHIVES_BYTES = 1_000_000;

/** Returns the id of the archived conversation with this id or key; `undefined` if none is found quickly. */
export const archivedId = ({ archives }: App, ref: string): Promise<string | undefined> =>
  undefinedIfUnreadable(archives.idOf(ref, MAX_ARCHIVES_BYTES));

/** Returns `error`, or an error that says that the item is in the trash, is archived or may be damaged. */
export async function explainNotFound(error: unknown, app: App): Promise<unknown> {
  if (isAppError(error, 'E_MB_FILE_NOT_FOUND')) return withNoteElsewhere(error, app);
  if (!isAppError(error, 'CONVERSATION_NOT_FOUND')) return error;
  const { code, details } = error;
  const ref = details?.['conversationId'];
  if (typeof ref !== 'string') return error;
  const id = await trashedId(app, ref);
  if (id === undefined) return withArchives(withDamaged(error, ref, app), ref, app);
  return new AppError(code, `Conversation ${ref} is in the trash.`, {
    hint: restoreHint(id),
    details: { ...details, isInTrash: true },
  });
}

/** Most servers do not offer the tool: it is in the toolset `admin`. */
const restoreHint = (name: string, kind?: 'note' | 'insight') =>
  `To restore it, call \`restore_conversation\` with the name ${name}${kind === undefined ? '' : ` and the kind ${kind}`}; if that tool is not offered, run \`daybook restore ${name}\`.`;

async function withNoteElsewhere(error: AppError, { memoryBank }: App): Promise<AppError> {
  const path = error.details?.['path'];
  if (typeof path !== 'string') return error;
  const trashed = await memoryBank.trashed().catch(() => []);
  if (!trashed.some(({ original }) => original === path))
    return withSameName(error, path, memoryBank);
  return new AppError(error.code, `The note ${path} is in the trash.`, {
    hint: restoreHint(path, 'note'),
    details: { ...error.details, isInTrash: true },
  });
}

const MAX_SAME_NAMES = 3;

/** A wiki link names a note without its folder, and a note may have been moved. */
async function withSameName(
  error: AppError,
  path: string,
  memoryBank: App['memoryBank'],
): Promise<AppError> {
  const nameOf = (each: string) => posix.basename(each).toLowerCase();
  await undefinedIfUnreadable(memoryBank.refresh());
  const all = memoryBank.known().map((note) => note.path);
  const sameName = all.filter((each) => nameOf(each) === nameOf(path)).slice(0, MAX_SAME_NAMES);
  if (sameName.length === 0) return error;
  return errorWith(error, {
    hint: `A note with this name is at ${sameName.map((each) => JSON.stringify(each)).join(', ')}.`,
    details: { ...error.details, sameName },
  });
}

/**
 * Returns a sentence on when the insight was deleted and how to restore it; `undefined` if it is not in the
 * trash.
 */
export async function deletedInsightNote(
  { insights }: Pick<App, 'insights'>,
  id: string,
): Promise<string | undefined> {
  const found = (await insights.trashed()).find(({ original }) => original === id);
  if (found === undefined) return undefined;
  const at = found.deletedAt === undefined ? '' : ` at ${found.deletedAt}`;
  return `The insight was deleted${at} and is in the trash. ${restoreHint(id, 'insight')}`;
}

/** Sentences on the conversations that no list and no search contains: deleted and archived ones. */
export async function notIncluded({
  conversations,
  archives,
}: Pick<App, 'conversations' | 'archives'>): Promise<string[]> {
  const trashed = await countOrNone(conversations.countTrashed());
  const archived = await countOrNone(archives.count());
  const trash = `Not included: ${countOf(trashed, 'conversation')} in the trash. To see the trash, run \`daybook trash\`.`;
  const archive = `Not included: the conversations in ${countOf(archived, 'archive')}. To search these, use \`daybook search --archive\`.`;
  return [...(trashed === 0 ? [] : [trash]), ...(archived === 0 ? [] : [archive])];
}

/** 0 if the folder cannot be read. */
const countOrNone = async (count: Promise<number>): Promise<number> =>
  (await undefinedIfUnreadable(count)) ?? 0;

/** The key of a conversation is in its file, so the key of a damaged file is unknown. */
function withDamaged(error: AppError, ref: string, { conversations }: App): AppError {
  const count = CONVERSATION_ID.test(ref) ? 0 : conversations.damaged().length;
  if (count === 0) return error;
  const damaged = countOf(count, 'conversation');
  return errorWith(error, {
    message: `${error.message} ${damaged} could not be read and may have this key.`,
    hint: 'To see the damaged files, call `store_info`. To repair them, run `daybook doctor --repair`.',
  });
}

/** The archives are not read: that takes seconds. */
async function withArchives(error: AppError, ref: string, { archives }: App): Promise<AppError> {
  const count = await countOrNone(archives.count());
  if (count === 0) return error;
  return withHint(
    error,
    `${error.hint} If it was archived, \`daybook restore ${ref}\` restores it.`,
  );
}
