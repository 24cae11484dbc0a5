/**
 * An insight as a file: `memory-bank/insights/<id>.json` (docs/FORMAT.md). People write these files
 * too, so reading derives what it can; what it cannot is damage, reported and left as it is. The
 * file's name is the id, and fields that this version does not know are kept.
 */
import { AppError } from '../../base/errors.js';
import type { JsonObject } from '../conversations/schema.js';
import { INSIGHT_FORMAT_VERSION, type Insight, normalContext } from './schema.js';

export interface StoredInsight {
  readonly insight: Insight;
  /** What this version does not know. */
  readonly extra: JsonObject;
}

interface Place {
  readonly id: string;
  readonly path: string;
  /** Epoch milliseconds, for a file that tells no time. */
  readonly modifiedAt: number;
}

/** CORRUPT names the field, FORMAT_TOO_NEW. */
export function readInsight(value: unknown, place: Place): StoredInsight {
  if (!isObject(value)) throw damage('The file', 'one JSON object', place);
  const { id: _idOfFile, formatVersion = INSIGHT_FORMAT_VERSION, ...fields } = value;
  if (typeof formatVersion !== 'number') throw damage('formatVersion', 'a number', place);
  if (formatVersion > INSIGHT_FORMAT_VERSION) throw tooNew(formatVersion, place);
  const { content, context, tags, metadata, created_at, updated_at, expires_at, ...extra } = fields;
  if (typeof content !== 'string') throw damage('content', 'a text', place);
  const known = typeof context === 'string' ? normalContext(context) : undefined;
  if (known === undefined) throw damage('context', '"global" or an absolute path', place);
  if (tags !== undefined && !isTextList(tags)) throw damage('tags', 'a list of texts', place);
  if (metadata !== undefined && !isObject(metadata)) throw damage('metadata', 'an object', place);
  const expires = expires_at === undefined ? undefined : timeOf(expires_at);
  if (expires_at !== undefined && expires === undefined) {
    throw damage('expires_at', 'a time in epoch milliseconds or ISO 8601', place);
  }
  const created = timeOf(created_at) ?? place.modifiedAt;
  const insight: Insight = {
    ...{ id: place.id, content, context: known },
    ...(tags === undefined ? {} : { tags }),
    ...(metadata === undefined ? {} : { metadata }),
    ...{ created_at: created, updated_at: timeOf(updated_at) ?? created },
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
  return { insight, extra };
}

/** What the file holds, keys always in the same order. */
export function documentOf({ insight, extra }: StoredInsight): JsonObject {
  const { id, content, context, tags, metadata, created_at, updated_at, expires_at } = insight;
  const known = { id, content, context, tags, metadata, created_at, updated_at, expires_at };
  return { ...known, formatVersion: INSIGHT_FORMAT_VERSION, ...extra };
}

/** The file's bytes. */
export function renderInsight(stored: StoredInsight): Buffer {
  return Buffer.from(`${JSON.stringify(documentOf(stored), null, 2)}\n`);
}

/** People write ISO 8601 where a number is what Daybook writes. */
function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  const isTime = typeof time === 'number' && Number.isSafeInteger(Math.trunc(time));
  return isTime ? Math.trunc(time) : undefined;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function damage(field: string, takes: string, { path }: Place): AppError {
  return new AppError('CORRUPT', `${path}: ${field} takes ${takes}.`, {
    details: { path, field },
  });
}

function tooNew(formatVersion: number, { path }: Place): AppError {
  return new AppError('FORMAT_TOO_NEW', `${path} has format version ${formatVersion}.`, {
    details: { path, formatVersion },
  });
}
