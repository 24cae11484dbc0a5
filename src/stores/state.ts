/**
 * `state.json` beside the conversations: the active conversation, the context window, and values
 * under free keys. The file is replaced as a whole under a lock between processes. People may edit it.
 *
 * Reading is lenient: a field of the wrong type counts as absent, unknown fields are kept. A file
 * that is not JSON is reported as damaged and never overwritten.
 */

import { join } from 'node:path';
import { type Clock, isoTime, systemClock } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { isRecord } from '../base/is-record.js';
import { type Durability, makeFolder } from '../files/atomic/atomic-write.js';
import { withLock } from '../files/locks/file-lock.js';
import { parseDocument, readWhole } from '../files/read/json-doc.js';
import { CLIENT_ID, CONVERSATION_ID, type JsonObject } from './conversations/document/schema.js';
import { upgraded, versionOf } from './format-steps.js';
import { screenedBy, type TextScreen } from './text-screen.js';

/** Every reader reads the whole file, so it stays small. */
const MAX_BYTES = 1024 * 1024;

export interface State {
  /** The id of a conversation, or the key that it was saved under. */
  readonly activeConversation?: string;
  /** Default number of messages that get_conversation and session_start return. */
  readonly contextWindow?: number;
  readonly values: JsonObject;
  /** When each key of `values` was last set (ISO 8601); a key that was set by hand has no time. */
  readonly valuesUpdatedAt: Readonly<Record<string, string>>;
  /** ISO 8601; absent before the first write, and in a file that a person made. */
  readonly updatedAt?: string;
}

/** Omitted fields are kept; `null` clears a field. `values` are merged key by key. */
export interface StateChange {
  readonly activeConversation?: string | null;
  readonly contextWindow?: number | null;
  readonly values?: JsonObject;
}

export interface StateStoreOptions extends Durability {
  logsFolder: string;
  /** Takes out what must not be stored. */
  screen?: TextScreen;
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

  /** The context window, where one is set and the state can be read. */
  async contextWindow(): Promise<number | undefined> {
    try {
      return (await this.get()).contextWindow;
    } catch (error) {
      if (isAppError(error)) return undefined;
      throw error;
    }
  }

  /** Durable when it resolves. Throws like `get`, and TOO_LARGE, LOCKED, STORAGE_FULL. */
  async set(given: StateChange): Promise<State> {
    const { logsFolder, screen, clock = systemClock } = this.#options;
    const { value: change } = await screenedBy(screen, given);
    // With its own name synced: otherwise a power cut could take the folder, and the state with it.
    await makeFolder(logsFolder, this.#options);
    return withLock(join(logsFolder, '.locks'), 'state', async (lock) => {
      const file = await this.#read();
      const updatedAt = isoTime(clock.now());
      const next = { ...changed(file, change, updatedAt), updatedAt };
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
    if (!isRecord(value)) throw damaged(this.#path);
    return upgraded('state', value, this.#path);
  }
}

function toState(file: JsonObject): State {
  const { activeConversation, contextWindow, values, updatedAt } = file;
  const messages = Number(contextWindow);
  const isCount = contextWindow !== null && Number.isSafeInteger(messages) && messages > 0;
  return {
    ...(isRef(activeConversation) ? { activeConversation } : {}),
    ...(isCount ? { contextWindow: messages } : {}),
    values: isRecord(values) ? values : {},
    valuesUpdatedAt: timesOf(file),
    ...(typeof updatedAt === 'string' ? { updatedAt } : {}),
  };
}

/** Only times of keys that exist. */
function timesOf({ values, valuesUpdatedAt }: JsonObject): Record<string, string> {
  if (!isRecord(values) || !isRecord(valuesUpdatedAt)) return {};
  const times = Object.entries(valuesUpdatedAt).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && Object.hasOwn(values, entry[0]),
  );
  return Object.fromEntries(times);
}

function changed(file: JsonObject, change: StateChange, now: string): JsonObject {
  const {
    activeConversation,
    contextWindow,
    values,
    valuesUpdatedAt: _times,
    formatVersion: _version,
    ...others
  } = file;
  const known = isRecord(values) ? values : {};
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
    formatVersion: versionOf('state'),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)),
    values: Object.fromEntries(merged),
    valuesUpdatedAt: Object.fromEntries(
      Object.entries({
        ...timesOf(file),
        ...Object.fromEntries(Object.keys(given).map((key) => [key, now])),
      }).filter(([key]) => merged.some(([name]) => name === key)),
    ),
    ...others,
  };
}

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
