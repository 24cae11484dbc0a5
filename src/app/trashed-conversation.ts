/** A conversation that a caller names, and that is in the trash: the caller learns how to restore it. */
import type { App } from '../app.js';
import { AppError, isAppError } from '../base/errors.js';

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

/** Returns `error`, or the error that says that the conversation is in the trash. */
export async function withTrash(error: unknown, app: App): Promise<unknown> {
  if (!isAppError(error, 'CONVERSATION_NOT_FOUND')) return error;
  const { code, details } = error;
  const ref = details?.['conversationId'];
  const id = typeof ref === 'string' ? await trashedId(app, ref) : undefined;
  if (id === undefined) return error;
  return new AppError(code, `Conversation ${ref} is in the trash.`, {
    hint: `To restore it, call \`restore_conversation\` with the name ${id}.`,
    details: { ...details, isInTrash: true },
  });
}
