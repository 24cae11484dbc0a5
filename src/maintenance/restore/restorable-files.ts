/**
 * Decides which files a restore may write: only the kinds of files of Daybook (docs/FORMAT.md), by name, and
 * files for git also by content. An archive may come from an attacker, so no file is restored that git, a
 * shell or an editor would execute.
 */

import { isAppError } from '../../base/errors.js';
import { BROKEN_PART } from '../../files/paths/broken-names.js';
import { requireConfined } from '../../files/paths/path-confinement.js';
import { parseTrashName } from '../../files/trash/trash-names.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import { TRASHED_CONVERSATION } from '../../stores/conversations/files/trashed-ids.js';
import { VERSION_NAME } from '../../stores/conversations/versions/version-files.js';
import { problemWithNotePath } from '../../stores/memory-bank/note-path.js';
import { ARCHIVE_NAME } from '../archives/archive-files.js';
import { isConfiguration } from '../configuration-in-archive.js';
import {
  isIgnoreAllFile,
  isRestorableAttributes,
  isRestorableIgnore,
} from './restorable-git-files.js';

const CONVERSATION_FILES = new Set(['conversation.json', 'job.json', 'summaries.json']);
const LOGS_FILES = new Set([
  ...['state.json', 'retention.json', 'retention-last-run.json', 'encryption.json'],
  'imported-notes.json',
]);
/** `stores/conversations/writing/merges.ts` writes it. */
const MERGE_JOURNAL = /^\d{8}-\d{13}\.json$/;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const INSIGHT = new RegExp(`^insights/${UUID}\\.json$`);
const BROKEN_INSIGHT = new RegExp(`^insights/\\.${UUID}\\.json$`);
const TRASHED_INSIGHT = new RegExp(`^\\.trash/insights/${UUID}(\\.[\\w-]{1,100})*\\.json$`);
const GRAPH_FILES = new Set([
  'kg_snapshot.json',
  'kg_snapshot.sha256',
  'kg_snapshot.previous.json',
  'kg_wal.log',
  'kg_wal.previous.log',
  'kg_rejects.log',
]);

/**
 * Returns why a file of an archive may not be restored; `undefined` if it may. `name`: the name in the
 * archive; `graphNames`: the file names of the graph by the present settings.
 */
export function problemWithRestoring(
  name: string,
  bytes: Uint8Array,
  graphNames: ReadonlySet<string>,
): string | undefined {
  const spelling = problemWithSpelling(name);
  if (spelling !== undefined) return spelling;
  const [area, ...parts] = name.split('/');
  const rest = parts.join('/');
  const isAllowed =
    (area === 'conversation-logs' && isLogsFile(parts, bytes)) ||
    (area === 'memory-bank' && isMemoryBankFile(rest, bytes, graphNames)) ||
    (area === 'archive' && (ARCHIVE_NAME.test(rest) || isIgnoreAllFile(rest, bytes))) ||
    (area === 'knowledge-graph' && GRAPH_FILES.has(rest)) ||
    isConfiguration(name);
  if (isAllowed) return undefined;
  return `${name} is not a file of Daybook. To get it, unpack the archive with tar.`;
}

/** Like `problemWithRestoring`, for a file in the folder of a conversation that is not in the trash. */
export const isOfConversation = (name: string): boolean =>
  problemWithSpelling(name) === undefined && isConversationFile(name.split('/').slice(2));

/** Returns the error for control characters, separators of other systems, device names and similar names. */
function problemWithSpelling(name: string): string | undefined {
  try {
    requireConfined(name);
    return undefined;
  } catch (error) {
    if (isAppError(error)) return error.message;
    throw error;
  }
}

function isLogsFile(parts: readonly string[], bytes: Uint8Array): boolean {
  const [first = '', second = ''] = parts;
  if (parts.length === 1)
    return LOGS_FILES.has(first.replace(BROKEN_PART, '')) || isIgnoreAllFile(first, bytes);
  if (first === '.merging') return parts.length === 2 && MERGE_JOURNAL.test(second);
  if (first === '.trash') {
    if (parts.length === 2) return isIgnoreAllFile(second, bytes);
    return TRASHED_CONVERSATION.test(second) && isConversationFile(parts.slice(2));
  }
  return CONVERSATION_ID.test(first) && isConversationFile(parts.slice(1));
}

function isConversationFile(parts: readonly string[]): boolean {
  const [first = '', second = '', ...more] = parts;
  // An import makes no hidden attachments (copy-attachments.ts), and programs read some hidden files by name.
  if (first === 'attachments') return second !== '' && !parts.some((part) => part.startsWith('.'));
  if (first === 'versions') return more.length === 0 && VERSION_NAME.test(second);
  return (
    second === '' && more.length === 0 && CONVERSATION_FILES.has(first.replace(BROKEN_PART, ''))
  );
}

function isMemoryBankFile(
  rest: string,
  bytes: Uint8Array,
  graphNames: ReadonlySet<string>,
): boolean {
  if (rest === '.gitignore') return isRestorableIgnore(bytes);
  if (rest === '.gitattributes') return isRestorableAttributes(bytes);
  if (rest.startsWith('.trash/')) return isMemoryBankTrash(rest, bytes);
  if (BROKEN_INSIGHT.test(rest.replace(BROKEN_PART, ''))) return rest.includes('.broken-');
  if (GRAPH_FILES.has(rest) || graphNames.has(rest) || INSIGHT.test(rest)) return true;
  return problemWithNotePath(rest) === undefined;
}

function isMemoryBankTrash(rest: string, bytes: Uint8Array): boolean {
  if (isIgnoreAllFile(rest.slice('.trash/'.length), bytes) || TRASHED_INSIGHT.test(rest))
    return true;
  return problemWithNotePath(parseTrashName(rest.slice('.trash/'.length)).path) === undefined;
}
