/**
 * Conversations that are in no list and no search: those in the trash, and those that `daybook archive`
 * moved to archives. A user who does not find one of them learns where it is.
 */

import { explainNotFound, notIncluded } from '../../app/not-found-hints.js';
import type { App } from '../../app.js';
import { AppError, isAppError, withHint } from '../../base/errors.js';
import { EMPTY_STORE, LAST, matching, type Named } from '../arguments/find-conversation.js';
import type { Flags } from '../options/configuration.js';
import { daybookLine, withRoot } from '../terminal/command-line.js';
import { escapeControls } from '../terminal/terminal-text.js';

const MAX_NAMED = 5;

/** Prints on stderr why a search may have no result: an empty store, or what it did not contain. */
export async function reportNotListed(app: App, flags: Flags): Promise<void> {
  await reportEmptyStore(app, flags);
  for (const sentence of await notIncluded(app)) report(flags, sentence);
}

/** Prints on stderr that the store has no conversation, and what to do. */
export async function reportEmptyStore({ conversations }: App, flags: Flags): Promise<void> {
  const count = (await conversations.list()).length + conversations.damaged().length;
  if (count === 0) report(flags, `${EMPTY_STORE.message} ${EMPTY_STORE.hint}`);
}

const report = (flags: Flags, sentence: string) =>
  console.error(escapeControls(withRoot(flags, sentence.replaceAll('`', ''))));

/**
 * Returns the error to report. If `error` is about a note or a conversation in the trash, or a conversation
 * in an archive, the result says so and has the command that restores it. Otherwise it is `error`.
 */
export async function withLocation(
  error: AppError,
  app: App,
  flags: Flags,
  signal: AbortSignal,
): Promise<AppError> {
  try {
    return await explained(error, app, flags, signal);
  } catch (other) {
    if (isAppError(other)) return error; // the trash or the archives cannot be read
    throw other;
  }
}

async function explained(
  error: AppError,
  app: App,
  flags: Flags,
  signal: AbortSignal,
): Promise<AppError> {
  if (error.code === 'E_MB_FILE_NOT_FOUND') return noteElsewhere(error, app, flags);
  // Commands that are made of tools have the second.
  const name = error.details?.['name'] ?? error.details?.['conversationId'];
  if (error.code !== 'CONVERSATION_NOT_FOUND' || typeof name !== 'string') return error;
  const stored = new Set((await app.conversations.list()).map((each) => each.conversationId));
  if (name !== LAST) {
    const isGone = ({ conversationId }: Named) => !stored.has(conversationId);
    const trashed = (await app.conversations.trashed()).filter(isGone);
    const deleted = onePerId(matching(trashed, name));
    if (deleted.length > 0) return elsewhere(name, deleted, 'in the trash', flags);
    const all = await app.archives.list(signal);
    const archived = matching(all.filter(isGone), name);
    if (archived.length > 0) return elsewhere(name, archived, 'archived', flags);
    const [restored] = matching(all, name);
    if (restored !== undefined) return renamed(name, restored, flags);
  }
  if (stored.size > 0) return error;
  const others = (await notIncluded(app)).map((each) => withRoot(flags, each));
  return withHint(error, [error.hint, ...others].join(' '));
}

async function noteElsewhere(error: AppError, app: App, flags: Flags): Promise<AppError> {
  const found = await explainNotFound(error, app);
  if (!isAppError(found)) return error;
  if (found.details?.['isInTrash'] !== true) return found;
  const restore = daybookLine(flags, 'restore', String(found.details['path']));
  return withHint(found, `To restore it, run: ${restore}`);
}

/** A conversation can be in the trash several times. */
const onePerId = (found: readonly Named[]): readonly Named[] => [
  ...new Map(found.map((each) => [each.conversationId, each])).values(),
];

/** The conversation got another key or title after it was archived and restored. */
function renamed(name: string, { conversationId }: Named, flags: Flags): AppError {
  const message = `No conversation has the key, id or title ${JSON.stringify(name)}. Conversation ${conversationId} had it when it was archived.`;
  return new AppError('CONVERSATION_NOT_FOUND', message, {
    hint: `It was restored. To read it, run: ${daybookLine(flags, 'show', conversationId)}`,
    details: { name, conversationIds: [conversationId] },
  });
}

const SEE_ALSO = {
  'in the trash': 'To see the trash, run daybook trash.',
  archived: 'To search archived conversations, use daybook search --archive.',
};

function elsewhere(
  name: string,
  found: readonly Named[],
  where: keyof typeof SEE_ALSO,
  flags: Flags,
): AppError {
  const ids = found.map(({ conversationId }) => conversationId);
  const [id = ''] = ids;
  const named = found.slice(0, MAX_NAMED).map(({ conversationId, title }) => {
    return title === undefined ? conversationId : `${conversationId} (${title})`;
  });
  const more = found.length > MAX_NAMED ? ', …' : '';
  const isOne = found.length === 1;
  const message = isOne
    ? `The conversation ${named[0]} is ${where}.`
    : `The name ${JSON.stringify(name)} matches ${found.length} conversations, which are ${where}: ${named.join(', ')}${more}`;
  const restore = isOne
    ? `To restore it, run: ${daybookLine(flags, 'restore', id)}`
    : 'To restore one of them, run daybook restore with its id.';
  return new AppError('CONVERSATION_NOT_FOUND', message, {
    hint: `${withRoot(flags, SEE_ALSO[where])} ${restore}`,
    details: { name, where, conversationIds: ids },
  });
}
