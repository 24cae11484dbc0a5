/** Checks conversations: unreadable files and versions, wrong counts, duplicate ids and keys, ignored folders. */
import { join } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import type { Clock } from '../../base/clock.js';
import { type AppError, isAppError, undefinedIfUnreadable } from '../../base/errors.js';
import { entriesOf, listFolders } from '../../files/paths/folders.js';
import { readStamp, type Stamp } from '../../files/read/stamp.js';
import type { Backups } from '../../maintenance/backup/backup.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { CONVERSATION_ID, timeOfId } from '../../stores/conversations/document/conversation-id.js';
import type { ConversationDocument } from '../../stores/conversations/document/document.js';
import type {
  Condition,
  ConversationRepairer,
} from '../../stores/conversations/repair/conversation-repairer.js';
import { type Check, type CheckContext, type Found, isUnreadable, unreadable } from '../check.js';
import { checkAbandonedFolder } from './abandoned-folders.js';

export interface ConversationParts {
  readonly clock: Clock;
  readonly logsFolder: string;
  readonly conversations: ConversationStore;
  readonly repairer: ConversationRepairer;
  readonly backups: Pick<Backups, 'newest'>;
  /** Called with each conversation that could be read. */
  onRead?(stamp: Stamp, document: ConversationDocument): void;
}

export const conversationCheck = (parts: ConversationParts): Check => ({
  name: 'conversations',
  async run(context) {
    const newestBackup = await newestOf(parts.backups);
    const slice = new TimeSlice({ signal: context.signal });
    for (const entry of await entriesOf(parts.logsFolder)) {
      context.signal.throwIfAborted();
      if (entry.isDirectory() && !entry.name.startsWith('.')) {
        await checkTooDeep(join(parts.logsFolder, entry.name), parts.logsFolder, context);
      }
      if (!CONVERSATION_ID.test(entry.name)) continue;
      if (entry.isFile()) context.found(noFolder(join(parts.logsFolder, entry.name)));
      if (!entry.isDirectory() && !entry.isSymbolicLink()) continue;
      await examine(entry.name, { ...parts, newestBackup }, context);
      if (slice.isSpent()) await slice.yield();
    }
    await checkNames(parts, context);
  },
});

const noFolder = (path: string): Found => ({
  severity: 'warning',
  path,
  message: 'A file is in the place of the folder of a conversation. Daybook does not read it.',
  hint: 'If the file is a conversation, make a folder with this name and move the file into it as conversation.json. Otherwise move the file to another place.',
});

/** `undefined` without a backup, `unknown` if the folder of the backups cannot be read. */
type NewestBackup = Awaited<ReturnType<Backups['newest']>> | 'unknown';

/** The check of the backups reports a folder that cannot be read. */
async function newestOf(backups: ConversationParts['backups']): Promise<NewestBackup> {
  try {
    return await backups.newest();
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return 'unknown';
  }
}

async function examine(
  id: string,
  parts: ConversationParts & { readonly newestBackup: NewestBackup },
  { countChecked, found }: CheckContext,
): Promise<void> {
  const { logsFolder, conversations, repairer, clock, newestBackup, onRead } = parts;
  const folder = join(logsFolder, id);
  countChecked();
  try {
    const condition = await repairer.examine(id);
    if (condition?.document !== undefined) onRead?.(condition.stamp, condition.document);
    if (condition === undefined) return await checkAbandonedFolder(folder, found, clock.now());
    for (const finding of findingsOf(id, condition, repairer, newestBackup)) found(finding);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return found(unreadable(error, join(folder, 'conversation.json')));
  }
  try {
    for (const { path, error } of await conversations.history.damaged(id))
      found(damagedVersion(path, error));
  } catch (error) {
    if (!isAppError(error)) throw error;
    found(unreadable(error, join(folder, 'versions')));
  }
}

const damagedVersion = (path: string, error: AppError): Found => ({
  ...unreadable(error, path),
  ...(error.code === 'CONVERSATION_CORRUPTED' && {
    hint: 'This earlier version cannot be shown or restored. The conversation itself is another file. A backup may have the version; if you do not need it, delete the file.',
  }),
});

function findingsOf(
  id: string,
  condition: Condition,
  repairer: ConversationRepairer,
  newestBackup: NewestBackup,
): Found[] {
  const { path, damage, faults, salvageable } = condition;
  const repair = async () => {
    const repaired = await repairer.repair(id);
    if (repaired === undefined) return 'Nothing needs repair any more.';
    const kept =
      repaired.keptAs === undefined ? '' : `; the broken file is kept as ${repaired.keptAs}`;
    return `Messages written: ${repaired.messages}${kept}.`;
  };
  if (damage !== undefined) {
    const isRepairable = salvageable > 0;
    const ofBackup = backupHint(id, newestBackup);
    const hint = !isRepairable
      ? `${damage.hint} ${ofBackup}`
      : damage.code === 'DECRYPT'
        ? `${DECRYPT_HINT} ${ofBackup}`
        : repairHint(condition);
    return [{ ...unreadable(damage, path), hint, ...(isRepairable && { repair }) }];
  }
  const first = faults.find(({ isCorrectable }) => isCorrectable); // one repair is for all of them
  return faults.map((fault) => ({
    severity: 'warning' as const,
    path,
    message: `${fault.text[0]?.toUpperCase()}${fault.text.slice(1)}.`,
    hint: fault.isCorrectable
      ? 'The conversation can be used. Its next change, or daybook doctor --repair, corrects the file.'
      : 'The conversation can be used. If something was changed or removed by mistake, correct the file.',
    ...(fault === first && { repair }),
  }));
}

const DECRYPT_HINT =
  'daybook doctor --repair marks what cannot be decrypted, saves everything else, and keeps the broken file beside it.';

function repairHint({ salvageable, isUtf8 }: Condition): string {
  const saved = `daybook doctor --repair saves its complete messages (${salvageable})`;
  const kept = 'and keeps the broken file beside it.';
  return isUtf8
    ? `${saved} ${kept}`
    : `If a program wrote it in another encoding, save it as UTF-8 there. Otherwise ${saved}, with \uFFFD in place of what is not UTF-8, ${kept}`;
}

/** The damaged conversation is only moved to the trash, so nothing is lost if the backup does not have it. */
function backupHint(id: string, newestBackup: NewestBackup): string {
  if (newestBackup === 'unknown') return 'A backup may have the conversation.';
  if (newestBackup === undefined) return 'There is no backup.';
  const { name, madeMs } = newestBackup;
  // The name of a backup has its time in whole seconds.
  if (timeOfId(id) >= madeMs + 1000)
    return `The newest backup, ${name}, is older than the conversation.`;
  return `The newest backup is ${name}. To take the conversation from it, run daybook delete ${id}, then daybook restore ${name}.`;
}

/** Reports conversations that a person has moved into another folder, such as one for a year. */
async function checkTooDeep(folder: string, logsFolder: string, { found }: CheckContext) {
  const names = await listFolders(folder).catch(() => []); // `examine` reports what cannot be read
  for (const name of names) {
    const path = join(folder, name);
    const inside = readStamp(join(path, 'conversation.json'));
    if ((await undefinedIfUnreadable(inside)) === undefined) continue;
    found({
      severity: 'warning',
      path,
      message: `Daybook does not read this conversation, because its folder is not directly in ${logsFolder}.`,
      hint: `Move the folder ${JSON.stringify(name)} into ${logsFolder}.`,
    });
  }
}

/** Reports duplicate client keys, and folders whose name is not one of a conversation. */
async function checkNames(
  { conversations, logsFolder }: ConversationParts,
  { found }: CheckContext,
): Promise<void> {
  await conversations.list();
  for (const { clientId, conversationIds } of conversations.duplicateKeys()) {
    const [oldest = '', ...others] = conversationIds;
    found({
      severity: 'warning',
      path: join(logsFolder, oldest),
      message: `More than one conversation has the key ${clientId}: the key opens ${oldest}, but not ${others.join(', ')}.`,
      hint: 'Remove the line "clientId" from the conversation.json that should not have this key.',
    });
  }
  for (const name of await conversations.ignoredFolders()) {
    found({
      severity: 'warning',
      path: join(logsFolder, name),
      message: `Daybook ignores the folder ${JSON.stringify(name)} and the conversation in it, because of the folder's name.`,
      hint: 'Rename the folder to a name such as 20250124-1737730800123 (a UTC date and Unix milliseconds).',
    });
  }
}
