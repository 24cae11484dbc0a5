/** Finds exports among the files that the sources of a folder or archive have not read. */
import { isAppError } from '../base/errors.js';
import { countOf } from '../base/text/display-text.js';
import type { Input, InputFile } from '../files/input/input-types.js';
import { detectedSource, OTHER_ARCHIVE } from './detect-source.js';
import { addLeftOut, addProblem, type ImportOutcome } from './import-outcome.js';
import type { Source } from './source-interface.js';

const ARCHIVE = /\.zip$/i;
/** Names in a folder of files that may be an export by themselves: archives, and at its top other files. */
const EXPORT = /\.zip$|^[^/]+\.(jsonl?|ndjson|md|markdown|txt|db|sqlite3?|vscdb)$/i;
const DOCUMENT = /\.(jsonl?|ndjson)$/i;
/** A source that has read the input leaves such files out on purpose, for example older copies of a log. */
const LOG = /\.(jsonl|ndjson)$|(^|\/)\w*chatSessions\/[^/]+\.json$/i;
const ARCHIVED = /(^|\/)archive\/conversations-\d{4}-\d\d(-\d+)?\.tar\.gz$/;
/** The files of a store, which its source has read or left out on purpose. */
const OF_STORE = /(^|\/)(\d{8}-\d{13}|memory-bank|backups|archive)\//;
/** At most this many files are checked, because each must be read. */
export const MAX_OTHERS = 200;
const MAX_NAMED = 3;

/** The files of a folder that are tried as exports by themselves, archives first. */
export function otherExports(files: readonly InputFile[]): readonly InputFile[] {
  const named = files.filter(({ name }) => EXPORT.test(name));
  return [
    ...named.filter(({ name }) => ARCHIVE.test(name)),
    ...named.filter(({ name }) => !ARCHIVE.test(name)),
  ];
}

/**
 * Reports the other files that may be exports: in subfolders, or anywhere in an archive. `done`: the sources
 * that have read the input.
 */
export async function reportUnread(
  unread: Input,
  done: readonly Source[],
  outcome: ImportOutcome,
): Promise<void> {
  const { form } = unread;
  let { files } = unread;
  if (done.some(({ kind }) => kind === 'daybook' || kind === 'memory-bank')) {
    reportArchived(unread, outcome);
    files = files.filter(({ name }) => !OF_STORE.test(name));
  }
  const others = files.filter(({ name }) => form === 'zip' || !EXPORT.test(name));
  const found = others.filter(({ name }) => isArchive(name)).map(({ name }) => name);
  const documents = others.filter(({ name }) => DOCUMENT.test(name));
  const unchecked = documents.length - MAX_OTHERS;
  if (unchecked > 0) addLeftOut(outcome, 'JSON files that were not checked', unchecked);
  for (const file of documents.slice(0, MAX_OTHERS)) {
    if (await mayBeExport(file, unread, done)) found.push(file.name);
  }
  const [path] = found;
  if (path === undefined) return;
  const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : '';
  const names = `${found.slice(0, MAX_NAMED).join(', ')}${more}`;
  const message = `Not imported, although it may be an export: ${names}. To import such a file, give its path; unpack an archive first.`;
  addProblem(outcome, { path }, { code: 'VALIDATION_ERROR', message });
}

/** The archives of a store's old conversations. */
function reportArchived({ form, files }: Input, outcome: ImportOutcome): void {
  const [first, ...others] = files.filter(({ name }) => ARCHIVED.test(name));
  if (first === undefined) return;
  const path = first.diskPath ?? first.name;
  const more = others.length > 0 ? ` and ${countOf(others.length, 'other archive')}` : '';
  const unpack = form === 'zip' ? 'unpack the zip archive, and ' : '';
  const message = `The archived conversations in ${path}${more} were not imported. To add them, ${unpack}run daybook restore with the path of each archive.`;
  addProblem(outcome, { path }, { code: 'VALIDATION_ERROR', message });
}

const isArchive = (name: string) => ARCHIVE.test(name) || OTHER_ARCHIVE.test(name);

async function mayBeExport(file: InputFile, unread: Input, done: readonly Source[]) {
  try {
    const source = await detectedSource({ ...unread, form: 'file', files: [file], refused: [] });
    return source !== undefined && !(LOG.test(file.name) && done.includes(source));
  } catch (error) {
    if (isAppError(error)) return true; // it cannot be read
    throw error;
  }
}
