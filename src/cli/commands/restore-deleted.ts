/**
 * Restores deleted and archived items: conversations, insights and notes. For `daybook restore` with a name
 * that is not a file, and for `daybook trash restore`.
 */
import { join, resolve } from 'node:path';
import type { App } from '../../app.js';
import { AppError, isAppError, undefinedIfUnreadable } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { assertNotEmpty } from '../../config/given-path.js';
import { isFolder } from '../../files/paths/folders.js';
import { readStamp } from '../../files/read/stamp.js';
import type { Unpacked } from '../../maintenance/archives/archives.js';
import { findArchived, findDeleted } from '../arguments/find-conversation.js';
import { deletedInsights, onlyOf } from '../arguments/find-insight.js';
import { shellLine } from '../clients/shell-line.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import type { Flags } from '../options/configuration.js';
import { daybookLine } from '../terminal/command-line.js';
import { report } from '../terminal/output.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';
import { type RestoreTrashOptions, restoreNewer } from './trash.js';

/** What the restore of one item needs besides its name. */
export interface RestoreCall {
  readonly app: App;
  readonly flags: Flags;
  readonly json: boolean | undefined;
  /** A restore from an archive, which can take seconds, ends if it is aborted. */
  readonly signal: AbortSignal;
}

/** Restores deleted and archived items, not files; with `newerThan`, all that was deleted lately. */
export async function restoreFromTrash(
  what: string | undefined,
  options: RestoreTrashOptions,
  flags: Flags,
): Promise<void> {
  const { newerThan, json } = options;
  if ((what === undefined) === (newerThan === undefined)) {
    throw new AppError(
      'VALIDATION_ERROR',
      'Give the name of what to restore, or --newer-than with a number of days.',
      { hint: 'To see the trash, run daybook trash.' },
    );
  }
  if (what === undefined) return restoreNewer(options, flags);
  assertNotEmpty(what, 'The name of what to restore');
  await withApp(flags, (app, signal) =>
    restoreDeleted(what, undefined, { app, flags, json, signal }),
  );
}

/** `present`: an existing file with this name, which the user may take for an export. */
export async function restoreDeleted(
  what: string,
  present: string | undefined,
  call: RestoreCall,
): Promise<void> {
  const { app, json } = call;
  if (what.endsWith('.md')) {
    const path = await restoreNote(what, present, app);
    if (path !== undefined) return reportNote(path, call);
  }
  const insight = await deletedInsight(what, app);
  if (insight !== undefined) {
    const path = await app.insights.restore(insight);
    return report({ path }, json, () => console.log(`The insight was restored: ${path}`));
  }
  await reportConversation(await restoreConversation(what, call), call);
}

/** Its id or its name in the trash; `undefined` if `what` is another item. CONFLICT for several insights. */
async function deletedInsight(what: string, app: App): Promise<string | undefined> {
  if (INSIGHT.test(what)) return (await isDeletedKey(what, app)) ? undefined : what;
  const ids = await deletedInsights(app.insights, what);
  return ids.length === 0 || (await isGoneConversation(what, app)) ? undefined : onlyOf(ids, what);
}

/** Returns the path in the memory bank; `undefined` if `what` is the key or title of a conversation. */
async function restoreNote(
  what: string,
  present: string | undefined,
  app: App,
): Promise<string | undefined> {
  try {
    return await app.memoryBank.restore(what);
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (await isGoneConversation(what, app)) return undefined;
    throw present === undefined ? error : markdownFile(what);
  }
}

function reportNote(path: string, { app, json }: RestoreCall): void {
  const file = join(app.memoryBank.folder, path);
  report({ path: file }, json, () => console.log(escapeControls(`${path} was restored: ${file}`)));
}

/** By id or key from the trash, then from the archives; otherwise by title. */
async function restoreConversation(
  what: string,
  { app, flags, signal }: RestoreCall,
): Promise<Unpacked> {
  const { conversations, archives } = app;
  try {
    return await conversations.restore(what);
  } catch (error) {
    if (!isAppError(error, 'CONVERSATION_NOT_FOUND', 'VALIDATION_ERROR')) throw error;
    const unpacked = await archives.restore(what, signal);
    if (unpacked !== undefined) return unpacked;
    if (/^\d{8}-\d{13}/.test(what)) throw error;
    const deleted = await findDeleted(conversations, what);
    if (deleted !== undefined) return conversations.restore(deleted.name);
    const archived = findArchived(await archives.list(signal), what);
    if (archived === undefined) throw await nothingOf(what, app, flags);
    return (await archives.restore(archived, signal)) ?? { conversationId: archived };
  }
}

async function reportConversation(
  restored: Unpacked,
  { app, flags, json }: RestoreCall,
): Promise<void> {
  const { conversationId, droppedKey, notRestored } = restored;
  const path = app.conversations.path(conversationId);
  report({ ...restored, path }, json, () =>
    console.log(escapeControls(`${conversationId} was restored: ${path}`)),
  );
  if (droppedKey !== undefined) {
    console.error(
      `It was restored without its key ${droppedKey}, because another conversation has this key now.`,
    );
  }
  if (notRestored !== undefined) reportLeft(notRestored);
  if (await isMovedByPolicy(conversationId, app)) {
    console.error(
      `The next run of the retention policy moves it to the trash again. To keep it, run: ${daybookLine(flags, 'pin', conversationId)}`,
    );
  }
}

function reportLeft({ archive, files }: NonNullable<Unpacked['notRestored']>): void {
  console.error(
    escapeControls(
      `Not restored, because they are not files of Daybook: ${files.join(', ')}. They are still in ${archive}.`,
    ),
  );
  process.exitCode = NOTHING_FOUND;
}

async function isMovedByPolicy(id: string, { retention }: App): Promise<boolean> {
  // A policy that cannot be read moves nothing.
  const plan = await undefinedIfUnreadable(retention.planOfPolicy());
  return plan?.conversations.some(({ head }) => head.conversationId === id) ?? false;
}

const markdownFile = (what: string) =>
  new AppError('VALIDATION_ERROR', `${what} is a Markdown file, which cannot be restored.`, {
    hint: 'Restore a backup, or an export made with daybook export --format jsonl or json. The trash has no note with this path either.',
  });

const isGoneConversation = async (what: string, { conversations, archives }: App) =>
  (await findDeleted(conversations, what)) !== undefined ||
  findArchived(await archives.list(), what) !== undefined;

/** A UUID is the id of an insight, but clients also use UUIDs as keys of conversations. */
const isDeletedKey = async (what: string, { conversations }: App) =>
  (await conversations.trashed()).some(({ clientId }) => clientId === what);

async function nothingOf(what: string, { archives, backups }: App, flags: Flags) {
  // Only `restoreFromTrash` comes here with a file.
  if (await isPresentFile(resolve(what))) {
    return new AppError(
      'VALIDATION_ERROR',
      `No deleted or archived conversation, insight or note has the id, key, title or path ${what}.`,
      {
        hint: `It is a file. To restore what is in it, run: ${daybookLine(flags, 'restore', resolve(what))}`,
        details: { missing: 'what to restore' },
      },
    );
  }
  const isFolderHere = await isFolder(resolve(what));
  const [damaged, ...others] = await archives.damaged();
  const more = others.length === 0 ? '' : ` and ${countOf(others.length, 'other archive')}`;
  const unread =
    damaged === undefined
      ? ''
      : ` ${damaged}${more} cannot be read to the end and may have the conversation.`;
  return new AppError(
    'VALIDATION_ERROR',
    `${what} is not a file, and no deleted or archived conversation, insight or note has that id, key, title or path.`,
    {
      hint: isFolderHere
        ? `It is a folder: to add the conversations in it, run daybook import ${shellLine([resolve(what)])}`
        : `Daybook searches for backups in this folder and in ${backups.folder}. To see what was deleted, run daybook trash.${unread}`,
      ...(!isFolderHere && { details: { missing: 'what to restore' } }),
    },
  );
}

/** An id of an insight, or its name in the trash, which begins with the id. */
const INSIGHT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** False for a folder: it can have the name of a deleted conversation. */
export const isPresentFile = async (path: string): Promise<boolean> =>
  (await readStamp(path)) !== undefined && !(await isFolder(path));
