/**
 * Finds entries of a private folder that other users may access, and removes those permissions. Windows has
 * no such permissions, so nothing is found there.
 */
import { type Dirent, fchmodSync, fstatSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import { type AppError, isAppError } from '../../base/errors.js';
import { ABSENT, fileError, withFileError } from '../file-errors.js';
import { OTHERS } from '../private-modes.js';
import { closeQuietly } from '../safe-access/close-quietly.js';
import { openToRead } from '../safe-access/open-regular.js';
import { inFolder } from '../safe-access/pinned-folder.js';
import { entriesNow, entriesOf } from './folders.js';

/** Without these bits of a folder, other users cannot reach anything in it. */
const ENTER = 0o011;

export interface OpenEntry {
  readonly path: string;
  readonly isFolder: boolean;
  /** The permission bits, such as 0o644. */
  readonly mode: number;
  /** False if another user owns the entry. Then this process cannot change it. */
  readonly isOwn: boolean;
}

export interface FoundEntry extends OpenEntry {
  /** False if a private folder above it keeps other users out, so that they cannot open it at present. */
  readonly isReachable: boolean;
}

export interface PermissionOptions {
  /** Called for each entry that was checked. */
  onEntry(): void;
  /** Called with the error of a folder below whose content this user may not see. */
  onClosed(folder: string, error: AppError): void;
  readonly signal?: AbortSignal | undefined;
}

/** The folder and all below it that other users may read, write or search. FILESYSTEM_ERROR. */
export async function* openToOthers(
  folder: string,
  options: PermissionOptions,
): AsyncGenerator<FoundEntry> {
  if (process.platform === 'win32') return;
  if (entryAt(folder)?.isFolder !== true) return;
  const slice = new TimeSlice({ readsDisk: true, signal: options.signal });
  // Not at once, because the folder of all conversations may have a hundred thousand entries.
  const entries = await entriesOf(folder, ABSENT);
  yield* openIn(folder, () => entries, { ...options, slice, isReachable: true });
}

type Walk = PermissionOptions & { readonly slice: TimeSlice; readonly isReachable: boolean };

/** `list`: returns what is in the folder. */
async function* openIn(
  folder: string,
  list: () => readonly Dirent[],
  options: Walk,
): AsyncGenerator<FoundEntry> {
  const own = entryAt(folder);
  if (own === undefined || !own.isFolder) return;
  options.onEntry();
  if (isOpen(own)) yield { ...own, isReachable: options.isReachable };
  const isReachable = options.isReachable && (own.mode & ENTER) !== 0;
  try {
    yield* openAmong(folder, list(), { ...options, isReachable });
  } catch (error) {
    if (!isAppError(error, 'FILESYSTEM_ERROR')) throw error;
    options.onClosed(folder, error);
  }
}

async function* openAmong(
  folder: string,
  entries: readonly Dirent[],
  options: Walk,
): AsyncGenerator<FoundEntry> {
  for (const entry of entries) {
    options.signal?.throwIfAborted();
    if (options.slice.isSpent()) await options.slice.yield();
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* openIn(path, () => entriesNow(path, ABSENT), options);
    if (!entry.isFile()) continue;
    options.onEntry();
    const found = entryAt(path);
    if (found !== undefined && isOpen(found)) yield { ...found, isReachable: options.isReachable };
  }
}

const isOpen = ({ mode }: OpenEntry): boolean => (mode & OTHERS) !== 0;

/** Removes all permissions of other users. FILESYSTEM_ERROR, PATH_ESCAPE for a link. */
export async function closeToOthers({ path, isFolder }: OpenEntry): Promise<void> {
  await withFileError('protect', path, async () => {
    if (!isFolder) return closeFile(path);
    await inFolder(path, ({ file }) => {
      if (file !== undefined) narrow(file);
    });
  });
}

function closeFile(path: string): void {
  const { number } = openToRead(path);
  try {
    narrow(number);
  } finally {
    closeQuietly(number);
  }
}

const narrow = (file: number) => fchmodSync(file, fstatSync(file).mode & 0o777 & ~OTHERS);

function entryAt(path: string): OpenEntry | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const isOwn = found.uid === process.getuid?.();
    return { path, isFolder: found.isDirectory(), mode: found.mode & 0o777, isOwn };
  } catch (error) {
    throw fileError(error, 'inspect', path);
  }
}
