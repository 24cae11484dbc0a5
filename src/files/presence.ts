/**
 * Whether the folder of a store is there, and is still the same store. A drive can be taken out, a
 * mount can end, and an empty mount point or another drive can appear at the same path: none of them is
 * the store, and nothing may be written there. While a store is away, no folder is made below it.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { systemClock } from '../base/clock.js';
import { AppError, errnoOf, isAppError } from '../base/errors.js';

/** Whether an unknown folder holds the store may cost a look at every conversation. */
const LOOK_AGAIN_MS = 500;

export interface PresenceOptions {
  /** Absolute. It exists when the presence is made. */
  readonly folder: string;
  /** Below these folders nothing is made while the store is away. */
  readonly guarded: readonly string[];
  /** Whether a folder that is another than before, with these names in it, is the store. LOCKED: it cannot be opened. */
  isKnown(names: ReadonlySet<string>): boolean;
  /** Called when the store is found to be away. */
  onAway(): void;
}

interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly birthtimeNs: bigint;
}

const presences = new Set<Presence>();

export class Presence {
  readonly #options: PresenceOptions;
  #identity: Identity | undefined;
  #reason: string | undefined;
  #stranger: { readonly identity: Identity; readonly lookAtMs: number } | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#identity = identityOf(options.folder);
    presences.add(this);
  }

  /** One `lstat`, as long as the folder is the same. */
  isHere(): boolean {
    const reason = this.#look();
    const isNew = reason !== undefined && this.#reason === undefined;
    this.#reason = reason;
    if (isNew) this.#options.onAway();
    return reason === undefined;
  }

  /** STORAGE_UNAVAILABLE while the store is away. */
  require(): void {
    if (!this.isHere()) throw this.error();
  }

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

  #isStranger(identity: Identity): boolean {
    const now = systemClock.monotonic();
    const last = this.#stranger;
    if (last !== undefined && isSame(identity, last.identity) && now < last.lookAtMs) return true;
    if (this.#options.isKnown(new Set(readdirSync(this.#options.folder)))) return false;
    this.#stranger = { identity, lookAtMs: now + LOOK_AGAIN_MS };
    return true;
  }

  covers(path: string): boolean {
    return this.#options.guarded.some((folder) => isBelow(path, folder));
  }

  close(): void {
    presences.delete(this);
  }

  /** Why the store is away; `undefined` where it is here. */
  #look(): string | undefined {
    try {
      const found = identityOf(this.#options.folder);
      if (found === undefined) return 'the folder is missing';
      if (isSame(found, this.#identity)) return undefined;
      const isStrange = this.#isStranger(found);
      if (isStrange) return 'another folder is at its path';
      this.#identity = found;
      return undefined;
    } catch (error) {
      if (isAppError(error, 'LOCKED')) return error.message.replace(/\.$/, '');
      return `the folder cannot be read (${errnoOf(error) ?? String(error)})`;
    }
  }
}

/** STORAGE_UNAVAILABLE where the path lies in a store that is away. Call it before a folder is made or a lock is taken. */
export function requirePresent(path: string): void {
  for (const presence of presences) if (presence.covers(path)) presence.require();
}

function identityOf(folder: string): Identity | undefined {
  try {
    const found = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
    return found?.isDirectory() ? found : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

const isSame = (a: Identity, b: Identity | undefined) =>
  a.ino === b?.ino && a.dev === b.dev && a.birthtimeNs === b.birthtimeNs;

const isBelow = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
