/**
 * Checks whether the folder of a store exists and is still the same store. A drive can be removed, a mount
 * can end, and an empty mount point or another drive can appear at the same path. Then the store is "away"
 * (not available): nothing may be written, and no folder is created below its path. It is also away while a
 * link is in its path, for example because the user moved it and left a link: no file is opened through that.
 */
import { type BigIntStats, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { AppError, errnoOf, isAppError } from '../base/errors.js';
import { isBelow } from './paths/path-confinement.js';
import { isLinkFree } from './safe-access/real-path.js';
import { isSameFolder } from './watcher/file-tree.js';

/** How long a result for an unknown folder is used: the check compares all known conversations. */
const RECHECK_MS = 500;
/** A file that need not exist: whether it exists can be determined only if the folder can be used. */
const ANY_NAME = '.gitignore';
/** How often a link is searched for while the folder is the same; this takes longer than the other checks. */
const LINK_CHECK_MS = 500;

export interface PresenceOptions {
  /** The absolute path, without links. The folder must exist when the Presence is created. */
  readonly folder: string;
  /** No folder is created below these folders while the store is away. */
  readonly guarded: readonly string[];
  /**
   * Called when the folder at the path is not the one that was there before. Returns whether a folder with
   * these names in it is the store. Throws LOCKED if it is the store but cannot be opened.
   */
  isKnown(names: ReadonlySet<string>): boolean;
  /** Called when the store is found to be away. */
  onAway(): void;
}

const presences = new Set<Presence>();

export class Presence {
  readonly #options: PresenceOptions;
  /** As of the last check at which it was present. */
  #identity: BigIntStats | undefined;
  #reason: string | undefined;
  #otherFolder: { readonly identity: BigIntStats; readonly recheckAtMs: number } | undefined;
  #linkCheckAtMs = 0;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#identity = identityOf(options.folder);
    presences.add(this);
  }

  /** Returns false while the store is away. Needs two `lstat` while the folder is the same, rarely more. */
  isHere(): boolean {
    const reason = this.#check();
    const isNew = reason !== undefined && this.#reason === undefined;
    this.#reason = reason;
    if (isNew) this.#options.onAway();
    return reason === undefined;
  }

  /** Throws STORAGE_UNAVAILABLE while the store is away. */
  require(): void {
    if (!this.isHere()) throw this.error();
  }

  /** Returns the STORAGE_UNAVAILABLE error with the reason of the last check. */
  error(): AppError {
    const { folder } = this.#options;
    const reason = this.#reason ?? 'it was not available a moment ago';
    return new AppError(
      'STORAGE_UNAVAILABLE',
      `The store at ${folder} is not available: ${reason}.`,
      {
        details: { path: folder, reason },
      },
    );
  }

  #isOtherFolder(identity: BigIntStats): boolean {
    const now = systemClock.monotonic();
    const last = this.#otherFolder;
    if (last !== undefined && isSameFolder(identity, last.identity) && now < last.recheckAtMs)
      return true;
    if (this.#options.isKnown(new Set(readdirSync(this.#options.folder)))) return false;
    this.#otherFolder = { identity, recheckAtMs: now + RECHECK_MS };
    return true;
  }

  /** The reason if a link is in the path of the folder, which exists. */
  #linkInPath(isSame: boolean): string | undefined {
    const { folder } = this.#options;
    const now = systemClock.monotonic();
    if (isSame && this.#reason === undefined && now < this.#linkCheckAtMs) return undefined;
    this.#linkCheckAtMs = now + LINK_CHECK_MS;
    if (isLinkFree(folder)) return undefined;
    const target = realpathSync.native(folder);
    return `its path has a link to ${target} now, and a server follows that only after a restart`;
  }

  /** Whether the path is in one of the guarded folders. */
  covers(path: string): boolean {
    return this.#options.guarded.some((folder) => isBelow(path, folder));
  }

  close(): void {
    presences.delete(this);
  }

  /** Returns why the store is away, or `undefined` if it is present. */
  #check(): string | undefined {
    try {
      const found = identityOf(this.#options.folder);
      if (found === undefined) return 'the folder is missing';
      const isSame =
        isSameFolder(found, this.#identity) || isSameWithoutBirthTime(found, this.#identity);
      const link = this.#linkInPath(isSame);
      if (link !== undefined) return link;
      if (!isSame && this.#isOtherFolder(found)) return 'another folder is at its path';
      this.#identity = found;
      // Fails without the permission to search the folder, and if the drive below a mount is gone.
      lstatSync(join(this.#options.folder, ANY_NAME), { throwIfNoEntry: false });
      return undefined;
    } catch (error) {
      if (isAppError(error, 'LOCKED')) return error.message.replace(/\.$/, '');
      return `the folder cannot be read (${errnoOf(error) ?? String(error)})`;
    }
  }
}

/** STORAGE_UNAVAILABLE in a store that is away. Call it before a new folder or lock. */
export function requirePresent(path: string): void {
  for (const presence of presences) if (presence.covers(path)) presence.require();
}

/**
 * Where a file system has no birth times, some systems (Wine, an old kernel) return the time of the last
 * change instead, which every new entry of the folder changes.
 */
function isSameWithoutBirthTime(a: BigIntStats, b: BigIntStats | undefined): boolean {
  const hasNone = a.birthtimeNs === a.ctimeNs && b?.birthtimeNs === b?.ctimeNs;
  return hasNone && a.ino === b?.ino && a.dev === b.dev;
}

function identityOf(folder: string): BigIntStats | undefined {
  try {
    const found = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
    return found?.isDirectory() ? found : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
