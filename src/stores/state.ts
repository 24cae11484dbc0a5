/**
 * `state.json` beside the conversations: which one is active, how many messages to take along, and
 * free keys. Replaced as a whole under a lock between processes, small enough to be edited by hand.
 *
 * Reading is lenient: a field of the wrong kind counts as absent, unknown fields are kept. A file
 * that is not JSON is damage: reported, never overwritten.
 */
import { join } from 'node:path';
import { type Clock, isoTime, systemClock } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import type { Durability } from '../files/atomic-write.js';
import { withLock } from '../files/file-lock.js';
import { parseDocument, readWhole } from '../files/json-doc.js';
import { CLIENT_ID, CONVERSATION_ID, type JsonObject } from './conversations/schema.js';

const FORMAT_VERSION = 1;
/** A note of where one is, not a store: every reader reads all of it. */
const MAX_BYTES = 1024 * 1024;

export interface State {
  /** A conversation's id, or the key it was saved under. */
  readonly activeConversation?: string;
  /** Messages to take along as context. */
  readonly contextWindow?: number;
  readonly values: JsonObject;
  /** ISO 8601; absent where nothing was ever set, or only by hand. */
  readonly updatedAt?: string;
}

/** What is left out stays; `null` takes away. `values` are merged key by key. */
export interface StateChange {
  readonly activeConversation?: string | null;
  readonly contextWindow?: number | null;
  readonly values?: JsonObject;
}

export interface StateStoreOptions extends Durability {
  logsFolder: string;
  clock?: Clock;
}

export class StateStore {
  readonly #options: StateStoreOptions;
  readonly #path: string;

  constructor(options: StateStoreOptions) {
    this.#options = options;
    this.#path = join(options.logsFolder, 'state.json');
  }

  /** What is on disk now. CORRUPT, FORMAT_TOO_NEW, FILESYSTEM_ERROR. */
  async get(): Promise<State> {
    return toState(await this.#read());
  }

  /** Durable when it resolves. Throws like `get`, and TOO_LARGE, LOCKED, STORAGE_FULL. */
  set(change: StateChange): Promise<State> {
    const { logsFolder, clock = systemClock } = this.#options;
    return withLock(join(logsFolder, '.locks'), 'state', async (lock) => {
      const file = await this.#read();
      const next = { ...changed(file, change), updatedAt: isoTime(clock.now()) };
      const bytes = Buffer.from(`${JSON.stringify(next, null, 2)}\n`);
      if (bytes.byteLength > MAX_BYTES) throw tooLarge(this.#path);
      await lock.replace(this.#path, bytes, this.#options);
      return toState(next);
    });
  }

  async #read(): Promise<JsonObject> {
    const found = await readWhole(this.#path);
    if (found === undefined) return {};
    const value = parseDocument(found.bytes, this.#path, 'CORRUPT');
    if (!isObject(value)) throw damaged(this.#path);
    const { formatVersion } = value;
    if (typeof formatVersion === 'number' && formatVersion > FORMAT_VERSION) {
      throw new AppError('FORMAT_TOO_NEW', `${this.#path} has format version ${formatVersion}.`, {
        details: { path: this.#path, formatVersion },
      });
    }
    return value;
  }
}

function toState({ activeConversation, contextWindow, values, updatedAt }: JsonObject): State {
  const messages = Number(contextWindow);
  const isCount = contextWindow !== null && Number.isSafeInteger(messages) && messages > 0;
  return {
    ...(isRef(activeConversation) ? { activeConversation } : {}),
    ...(isCount ? { contextWindow: messages } : {}),
    values: isObject(values) ? values : {},
    ...(typeof updatedAt === 'string' ? { updatedAt } : {}),
  };
}

function changed(file: JsonObject, change: StateChange): JsonObject {
  const { activeConversation, contextWindow, values, formatVersion: _, ...others } = file;
  const known = isObject(values) ? values : {};
  const given = change.values ?? {};
  const merged = Object.entries({ ...known, ...given }).filter(
    ([key, value]) => value !== null || !Object.hasOwn(given, key),
  );
  const fields = {
    activeConversation:
      change.activeConversation === undefined ? activeConversation : change.activeConversation,
    contextWindow: change.contextWindow === undefined ? contextWindow : change.contextWindow,
  };
  return {
    formatVersion: FORMAT_VERSION,
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)),
    values: Object.fromEntries(merged),
    ...others,
  };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isRef = (value: unknown): value is string =>
  typeof value === 'string' && (CONVERSATION_ID.test(value) || CLIENT_ID.test(value));

function damaged(path: string): AppError {
  return new AppError('CORRUPT', `${path} does not hold a JSON object.`, { details: { path } });
}

function tooLarge(path: string): AppError {
  return new AppError('TOO_LARGE', 'The state would grow over 1 MB; nothing was changed.', {
    hint: 'Keep long texts as messages or notes, and remove keys that are not needed (value null).',
    details: { path },
  });
}
