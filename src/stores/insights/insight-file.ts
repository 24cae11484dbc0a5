/**
 * An insight as a file: `memory-bank/insights/<id>.json` (docs/FORMAT.md). People write these files
 * too, so a missing time is derived from the file's own. Anything else that is wrong is damage, which
 * is reported and left unchanged. The file's name is the id, and unknown fields are kept.
 */

import { AppError, isAppError } from '../../base/errors.js';
import { isRecord } from '../../base/is-record.js';
import { parseDocument } from '../../files/read/json-doc.js';
import type { JsonObject } from '../conversations/document/schema.js';
import { upgraded, versionOf } from '../format-steps.js';
import { conflictSides, joinSides } from './merge-conflict.js';
import { type Insight, normalContext } from './schema.js';
import type { StoredInsight } from './stored-insight.js';

interface SourceLocation {
  readonly id: string;
  readonly path: string;
  /** Epoch milliseconds, for a file without times. */
  readonly modifiedAt: number;
}

/**
 * The insight in the bytes of a file. If git left a conflict in it, both sides are joined.
 * CORRUPT, FORMAT_TOO_NEW.
 */
export function parseInsight(bytes: Uint8Array, location: SourceLocation): StoredInsight {
  const parse = (part: Uint8Array) =>
    readInsight(parseDocument(part, location.path, 'CORRUPT'), location);
  try {
    return parse(bytes);
  } catch (error) {
    const sides = conflictSides(Buffer.from(bytes).toString('utf8'));
    if (sides === undefined || !isAppError(error) || error.code !== 'CORRUPT') throw error;
    return joinSides(parse(Buffer.from(sides.ours)), parse(Buffer.from(sides.theirs)));
  }
}

/** CORRUPT names the field, FORMAT_TOO_NEW. */
export function readInsight(value: unknown, location: SourceLocation): StoredInsight {
  if (!isRecord(value)) throw damage('The file', 'one JSON object', location);
  const { formatVersion } = value;
  if (formatVersion !== undefined && typeof formatVersion !== 'number') {
    throw damage('formatVersion', 'a number', location);
  }
  const { id: _id, formatVersion: _, ...fields } = upgraded('insight', value, location.path);
  const { content, context, tags, metadata, created_at, updated_at, expires_at, ...extra } = fields;
  if (typeof content !== 'string') throw damage('content', 'a text', location);
  const known = typeof context === 'string' ? normalContext(context) : undefined;
  if (known === undefined) throw damage('context', '"global" or an absolute path', location);
  if (tags !== undefined && !isTextList(tags)) throw damage('tags', 'a list of texts', location);
  if (metadata !== undefined && !isRecord(metadata))
    throw damage('metadata', 'an object', location);
  const expires = expires_at === undefined ? undefined : timeOf(expires_at);
  if (expires_at !== undefined && expires === undefined) {
    throw damage('expires_at', 'a time in epoch milliseconds or ISO 8601', location);
  }
  const created = timeOf(created_at) ?? location.modifiedAt;
  const insight: Insight = {
    ...{ id: location.id, content, context: known },
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
  return { ...known, formatVersion: versionOf('insight'), ...extra };
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

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function damage(field: string, takes: string, { path }: SourceLocation): AppError {
  return new AppError('CORRUPT', `${path}: ${field} must be ${takes}.`, {
    details: { path, field },
  });
}
