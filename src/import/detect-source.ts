/**
 * Detects the source that reads an input: the first in source-list.ts that detects it. If there is
 * none, the error says why, such as an empty or damaged export.
 */
import { AppError } from '../base/errors.js';
import { isAgeFile } from '../files/age-encryption.js';
import type { Input } from '../files/input/input-types.js';
import { keptInput } from './input/kept-input.js';
import { requireSoundJson } from './reading/documents/damaged-json.js';
import { requireSoundDatabases } from './reading/documents/databases.js';
import { textOf } from './reading/documents/documents.js';
import { wholeFile } from './skip-unreadable.js';
import type { Source } from './source-interface.js';
import { RECOGNISABLE, SOURCES } from './source-list.js';

/** The next source of an input with several exports: it detects the files that no other source has read. */
export async function furtherSource(
  unread: Input,
  done: readonly Source[],
): Promise<Source | undefined> {
  for (const source of RECOGNISABLE) {
    if (!done.includes(source) && (await source.detect(unread))) return source;
  }
  return undefined;
}

/**
 * Like `detectedSource`. Throws VALIDATION_ERROR if no source detects the input, and CORRUPT if the input is a
 * damaged SQLite file.
 */
export async function sourceOf(input: Input): Promise<Source> {
  const source = await detectedSource(input);
  if (source !== undefined) return source;
  const [file] = input.files;
  if (input.form === 'file' && file?.diskPath !== undefined && isAgeFile(file.diskPath)) {
    throw new AppError('VALIDATION_ERROR', `${input.path} is an encrypted age file.`, {
      hint: 'If it is an export of Daybook, run daybook restore. Otherwise decrypt it with age -d, then import it.',
      details: { path: input.path },
    });
  }
  if (input.form === 'file' && file?.sizeBytes === 0) {
    const what = file.isUnnamed === true ? 'The text to import' : input.path;
    throw new AppError('VALIDATION_ERROR', `${what} is empty.`);
  }
  if (file === undefined && input.refused.length === 0) {
    throw new AppError('VALIDATION_ERROR', `${input.path} has no files.`, {
      details: { path: input.path },
    });
  }
  await requireReadableLists(input);
  throw new AppError(
    'VALIDATION_ERROR',
    `${input.path} has a format that Daybook does not support.${refusedIn(input)}`,
    {
      hint: hintFor(input),
      details: { path: input.path },
    },
  );
}

function hintFor({ path, form, files }: Input): string {
  if (files.some(({ name }) => TAKEOUT_PAGE.test(name))) {
    return 'Google Takeout wrote the activity as a page. Export it again, and choose JSON as the format of My Activity.';
  }
  const archive = files.find(({ name }) => OTHER_ARCHIVE.test(name));
  if (archive !== undefined && OWN_ARCHIVE.test(archive.name)) {
    const whole = archive.diskPath ?? archive.name;
    const file = /\s/.test(whole) ? `"${whole}"` : whole;
    return `${archive.name} seems to be a backup or an archive of Daybook. The user restores it with: daybook restore ${file}`;
  }
  if (archive !== undefined) {
    return `Daybook reads only zip archives. Unpack ${archive.name}, then import the folder or the file.`;
  }
  if (form === 'zip' && files.some(({ name }) => /\.(jsonl?|ndjson)$/i.test(name))) {
    return `Some exports, such as those of OpenWebUI, are read only outside an archive. Unpack ${path}, then import the folder.`;
  }
  return /\.html?$/i.test(path)
    ? 'A page such as chat.html is only a view of an export. Import the zip archive or the folder that has this page.'
    : 'Give an export, or the folder in which a tool stores its logs. To set the format, use `from`. docs/IMPORTING.md lists the formats.';
}

/** Google Takeout, for example, offers `.tgz`. */
export const OTHER_ARCHIVE = /\.(tar|tgz|gz|7z|rar)$/i;

/** The names that `daybook backup` and `daybook archive` give. */
const OWN_ARCHIVE = /(^|\/)(daybook-\d{8}T\d{6}Z-\w+|conversations-\d{4}-\d\d(-\d+)?)\.tar\.gz$/;

/** Takeout writes pages unless the user chooses JSON. */
const TAKEOUT_PAGE = /(^|\/)(My ?Activity|[^/]*(Gemini|Bard)[^/]*\/[^/]+)\.html$/i;

/** A sentence about the files that were not read, because one of them may be the export. */
function refusedIn({ refused }: Input): string {
  const [first] = refused;
  if (first === undefined) return '';
  const others = refused.length > 1 ? ` ${refused.length - 1} more were not read either.` : '';
  return ` ${first.name} ${first.reason}, so it was not read.${others}`;
}

/**
 * Throws VALIDATION_ERROR if the input has a list of conversations that is empty, cut off or damaged, or if
 * it is an archive with another archive, and CORRUPT or TOO_LARGE if it has an SQLite file that cannot be
 * read.
 */
export async function requireReadableLists(input: Input): Promise<void> {
  if (await isEmptyExport(input)) {
    throw new AppError(
      'VALIDATION_ERROR',
      `${input.path} has no conversations: its list is empty.`,
      {
        hint: 'Request a new export from the program, and import that one.',
        details: { path: input.path },
      },
    );
  }
  for (const file of listsIn(input)) await requireSoundJson(wholeFile(file), input);
  await requireSoundDatabases(input);
  requireNoInnerArchive(input);
}

function requireNoInnerArchive({ path, form, files }: Input): void {
  const inner = form === 'zip' ? files.find(({ name }) => /\.zip$/i.test(name)) : undefined;
  if (inner === undefined) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `${path} has the archive ${inner.name}, which Daybook does not read inside another one.`,
    { hint: 'Unpack the archive, then import its folder.', details: { path } },
  );
}

/** The first source that detects the input; `undefined` if none does. */
export async function detectedSource(given: Input): Promise<Source | undefined> {
  const input = keptInput(given);
  for (const source of SOURCES) if (await source.detect(input)) return source;
  return undefined;
}

/**
 * File name of the list of conversations in exports of ChatGPT and Claude.ai. A file that was given alone
 * may have any name.
 */
const LIST = /(^|\/)conversations(-\d+)?\.json$/i;
const EMPTY_LIST_BYTES = 100;

/** An empty list has the same form in all exports, so the program that wrote it is unknown. */
async function isEmptyExport(input: Input): Promise<boolean> {
  const lists = listsIn(input);
  for (const file of lists) {
    if (file.sizeBytes > EMPTY_LIST_BYTES) return false;
    if (!/^\s*\[\s*\]\s*$/.test((await textOf(file)) ?? '')) return false;
  }
  return lists.length > 0;
}

const listsIn = ({ form, files }: Input) =>
  files.filter(({ name }) => LIST.test(name) || form === 'file');
