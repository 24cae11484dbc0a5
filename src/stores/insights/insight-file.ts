/**
 * The file of an insight: `memory-bank/insights/<id>.json` (docs/FORMAT.md). The id is the name of the file;
 * insights.ts makes it. People write such files too, so a missing time is replaced by the modification time of
 * the file. Every other fault is reported as CORRUPT, and the file is not changed. Unknown fields are kept.
 */

import { AppError, isAppError } from '../../base/errors.js';
import { isRecord, isTextList, type JsonObject } from '../../base/json-fields.js';
import { parseDocument, renderDocument } from '../../files/read/json-document.js';
import { conflictSides } from '../conflict-markers.js';
import { upgraded, versionOf } from '../format-migrations.js';
import { requireDepthToRead } from '../json-depth.js';
import { distinctTags } from '../tags.js';
import { type Insight, KNOWN_CONTEXTS, normalContext, type StoredInsight } from './schema.js';

interface SourceLocation {
  readonly id: string;
  readonly path: string;
  /** The modification time of the file (epoch milliseconds), for a file without times. */
  readonly modifiedAt: number;
}

/** Joins both sides of a git merge conflict, so that no text is lost. CORRUPT, FORMAT_TOO_NEW. */
export function parseInsight(bytes: Uint8Array, location: SourceLocation): StoredInsight {
  const parse = (part: Uint8Array) =>
    readInsight(parseDocument(part, location.path, 'CORRUPT'), location);
  try {
    return parse(bytes);
  } catch (error) {
    const sides = conflictSides(Buffer.from(bytes).toString('utf8'));
    if (sides === undefined || !isAppError(error, 'CORRUPT')) throw error;
    return joinSides(parse(Buffer.from(sides.ours)), parse(Buffer.from(sides.theirs)));
  }
}

/** The text between the two sides of a merge conflict if their contents differ. */
const DIVIDER = '\n\n--- the other branch ---\n\n';

/** The newer side has priority; texts, tags and fields that only the older side has are kept. */
function joinSides(ours: StoredInsight, theirs: StoredInsight): StoredInsight {
  const [newer, older] =
    ours.insight.updated_at >= theirs.insight.updated_at ? [ours, theirs] : [theirs, ours];
  const [a, b] = [newer.insight, older.insight];
  const tags = distinctTags([...(a.tags ?? []), ...(b.tags ?? [])]);
  return {
    insight: {
      ...a,
      content: a.content === b.content ? a.content : `${a.content}${DIVIDER}${b.content}`,
      ...(tags.length > 0 && { tags }),
      ...((a.metadata ?? b.metadata) && { metadata: { ...b.metadata, ...a.metadata } }),
      created_at: Math.min(a.created_at, b.created_at),
    },
    extra: { ...older.extra, ...newer.extra },
  };
}

/** Validates the parsed JSON of a file. CORRUPT (with the field in `details`), FORMAT_TOO_NEW. */
export function readInsight(value: unknown, location: SourceLocation): StoredInsight {
  if (!isRecord(value)) throw damage('The file', 'one JSON object', location);
  requireDepthToRead(value, location.path);
  const { formatVersion } = value;
  if (formatVersion !== undefined && typeof formatVersion !== 'number') {
    throw damage('formatVersion', 'a number', location);
  }
  const { id: _id, formatVersion: _, ...fields } = upgraded('insight', value, location.path);
  const { content, context, tags, metadata, created_at, updated_at, expires_at, ...extra } = fields;
  if (typeof content !== 'string') throw damage('content', 'a text', location);
  const known = typeof context === 'string' ? normalContext(context) : undefined;
  if (known === undefined) throw damage('context', KNOWN_CONTEXTS, location);
  if (tags !== undefined && !isTextList(tags)) throw damage('tags', 'a list of texts', location);
  if (metadata !== undefined && !isRecord(metadata))
    throw damage('metadata', 'an object', location);
  const expires = expires_at === undefined ? undefined : timeOf(expires_at);
  if (expires_at !== undefined && expires === undefined) {
    throw damage('expires_at', 'a time in epoch milliseconds or ISO 8601', location);
  }
  const created = timeOf(created_at) ?? location.modifiedAt;
  const insight: Insight = {
    id: location.id,
    content,
    context: known,
    ...(tags === undefined ? {} : { tags }),
    ...(metadata === undefined ? {} : { metadata }),
    created_at: created,
    updated_at: timeOf(updated_at) ?? created,
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
  return { insight, extra };
}

/** Returns the JSON object of the file, with the keys always in the same order. */
export function documentOf({ insight, extra }: StoredInsight): JsonObject {
  const { id, content, context, tags, metadata, created_at, updated_at, expires_at } = insight;
  const known = { id, content, context, tags, metadata, created_at, updated_at, expires_at };
  return { ...known, formatVersion: versionOf('insight'), ...extra };
}

/** Returns the bytes of the file. */
export const renderInsight = (stored: StoredInsight): Buffer => renderDocument(documentOf(stored));

/** Returns a time in epoch milliseconds. Daybook writes a number; people may write ISO 8601. */
function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  const isTime = typeof time === 'number' && Number.isSafeInteger(Math.trunc(time));
  return isTime ? Math.trunc(time) : undefined;
}

function damage(field: string, takes: string, { path }: SourceLocation): AppError {
  return new AppError('CORRUPT', `${path}: ${field} must be ${takes}.`, {
    details: { path, field },
  });
}
