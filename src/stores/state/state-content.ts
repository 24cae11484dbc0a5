/** The content of `state.json`, and the function that applies a change to it. No I/O. */
import { isRecord, type JsonObject, numberFrom, objectIn } from '../../base/json-fields.js';
import { CLIENT_ID, CONVERSATION_ID } from '../conversations/document/conversation-id.js';
import { versionOf } from '../format-migrations.js';

export interface State {
  /** The id or the client key of a conversation. */
  readonly activeConversation?: string;
  /** The default number of messages that `get_conversation` and `session_start` return. */
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

export function toState(file: JsonObject): State {
  const { activeConversation, contextWindow, values, updatedAt } = file;
  const messages = numberFrom(contextWindow);
  const isCount = Number.isSafeInteger(messages) && messages > 0;
  return {
    ...(isRef(activeConversation) ? { activeConversation } : {}),
    ...(isCount ? { contextWindow: messages } : {}),
    values: objectIn(values),
    valuesUpdatedAt: timesOf(file),
    ...(typeof updatedAt === 'string' ? { updatedAt } : {}),
  };
}

/** Returns only the times of keys that exist. */
export function timesOf({ values, valuesUpdatedAt }: JsonObject): Record<string, string> {
  if (!isRecord(values) || !isRecord(valuesUpdatedAt)) return {};
  const times = Object.entries(valuesUpdatedAt).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && Object.hasOwn(values, entry[0]),
  );
  return Object.fromEntries(times);
}

/**
 * Returns the file after the change. `at`: the time of the change (ISO 8601). The time of the whole file never
 * becomes earlier.
 */
export function changedAt(file: JsonObject, change: StateChange, at: string): JsonObject {
  const {
    activeConversation,
    contextWindow,
    values,
    valuesUpdatedAt: _times,
    formatVersion: _version,
    ...others
  } = file;
  const { updatedAt: before } = file;
  const given = change.values ?? {};
  const merged = Object.fromEntries(
    Object.entries({ ...objectIn(values), ...given }).filter(
      ([key, value]) => value !== null || !Object.hasOwn(given, key),
    ),
  );
  const times = Object.fromEntries(Object.keys(given).map((key) => [key, at]));
  const fields = {
    activeConversation:
      change.activeConversation === undefined ? activeConversation : change.activeConversation,
    contextWindow: change.contextWindow === undefined ? contextWindow : change.contextWindow,
  };
  return {
    formatVersion: versionOf('state'),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)),
    values: merged,
    valuesUpdatedAt: timesOf({ values: merged, valuesUpdatedAt: { ...timesOf(file), ...times } }),
    ...others,
    updatedAt: typeof before === 'string' && before > at ? before : at,
  };
}

const isRef = (value: unknown): value is string =>
  typeof value === 'string' && (CONVERSATION_ID.test(value) || CLIENT_ID.test(value));
