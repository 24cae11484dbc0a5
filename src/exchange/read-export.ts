/**
 * Reading an export back, conversation by conversation. A damaged conversation is reported with its place
 * and stops no other. JSON Lines are read in bounded memory; a JSON export is read whole.
 * Other programs' formats are not read here.
 */

import { z } from 'zod';
import { AppError, isAppError } from '../base/errors.js';
import { isRecord } from '../base/is-record.js';
import { parseDocument, readWhole } from '../files/read/json-doc.js';
import { type Line, readLines } from '../files/read/read-lines.js';
import type { JsonObject } from '../stores/conversations/document/schema.js';
import { EXPORT_NAME, EXPORT_VERSION } from './formats.js';

/** One conversation of an export, or what is wrong with it. */
export interface ExportRecord {
  /** Where in the file, for people: `line 12`, `conversations[3]`. */
  readonly location: string;
  readonly conversationId?: string;
  readonly value?: JsonObject;
  readonly error?: AppError;
}

/** CORRUPT where the file is no export at all, FORMAT_TOO_NEW, TOO_LARGE, FILESYSTEM_ERROR. */
export async function* readExport(path: string): AsyncGenerator<ExportRecord> {
  if (await startsWithLine(path)) yield* readJsonLines(path);
  else yield* await readJson(path);
}

async function startsWithLine(path: string): Promise<boolean> {
  for await (const line of readLines(path)) return parseLine(line) !== undefined;
  return true; // an empty file is an export of nothing
}

const exportSchema = z.object({
  format: z.literal(EXPORT_NAME),
  version: z.number(),
  conversations: z.array(z.unknown()),
});

async function readJson(path: string): Promise<ExportRecord[]> {
  const found = await readWhole(path);
  if (found === undefined) throw noExport(path);
  const value = parseDocument(found.bytes, path, 'CORRUPT');
  // Not the schema's own output, which is a copy: unknown keys must come through as they are.
  if (!exportSchema.safeParse(value).success) throw noExport(path);
  const { version, conversations } = value as { version: number; conversations: unknown[] };
  if (version > EXPORT_VERSION) {
    throw new AppError('FORMAT_TOO_NEW', `A newer version of Daybook wrote ${path}.`, {
      details: { path, version },
    });
  }
  return conversations.map((each, index) => {
    const location = `conversations[${index}]`;
    if (!isRecord(each)) return { location, error: wrong(`${location} is not a conversation.`) };
    const { conversationId } = each;
    return typeof conversationId === 'string'
      ? { location, conversationId, value: each }
      : { location, error: wrong(`${location} has no conversationId.`) };
  });
}

/** A conversation whose lines are being read. */
interface Open {
  readonly location: string;
  readonly conversationId: string;
  readonly head: JsonObject;
  readonly messages: JsonObject[];
  error: AppError | undefined;
}

async function* readJsonLines(path: string): AsyncGenerator<ExportRecord> {
  let open: Open | undefined;
  for await (const line of readLines(path)) {
    const location = `line ${line.number}`;
    const { thread, message } = parseLine(line) ?? {};
    const threadId = isRecord(thread) ? thread['id'] : undefined;
    if (isRecord(thread) && typeof threadId === 'string') {
      if (open !== undefined) yield recordOf(open);
      const head = fromLine(thread, ['id']);
      open = { location, conversationId: threadId, head, messages: [], error: undefined };
    } else if (isRecord(message) && message['threadId'] === open?.conversationId) {
      open?.messages.push({ ...fromLine(message, ['threadId', 'seq']) });
    } else {
      const error = wrong(
        `${location} is neither a conversation nor a message of the conversation before it.`,
      );
      // The conversation around it may have lost something: better refused than shortened.
      if (open === undefined) yield { location, error };
      else open.error ??= error;
    }
  }
  if (open !== undefined) yield recordOf(open);
}

function recordOf({ location, conversationId, head, messages, error }: Open): ExportRecord {
  if (error !== undefined) return { location, conversationId, error };
  const { messageCount } = head;
  if (typeof messageCount === 'number' && messageCount !== messages.length) {
    const counted = `the file has ${messages.length} of its ${messageCount} messages`;
    return {
      location,
      conversationId,
      error: wrong(`${conversationId} is incomplete: ${counted}.`),
    };
  }
  return { location, conversationId, value: { conversationId, ...head, messages } };
}

/** Without the fields of the line itself; what was unknown goes back to where it was. */
function fromLine(fields: JsonObject, own: readonly string[]): JsonObject {
  const { extra, ...known } = fields;
  const others = Object.fromEntries(Object.entries(known).filter(([key]) => !own.includes(key)));
  return isRecord(extra) ? { ...others, ...extra } : others;
}

/** `undefined` where it is no line of an export. */
function parseLine({ text }: Line): { thread?: unknown; message?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isRecord(value) && ('thread' in value || 'message' in value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const wrong = (message: string) => new AppError('VALIDATION_ERROR', message);

function noExport(path: string): AppError {
  return new AppError('CORRUPT', `${path} is not an export of Daybook in JSON or JSON Lines.`, {
    hint: 'Give a file that `export_conversations` wrote in the format json or jsonl, or a backup (.tar.gz).',
    details: { path },
  });
}

/** An AppError as it stands in a report; anything else is rethrown. */
export function asRecordError(error: unknown): AppError {
  if (isAppError(error) && error.code !== 'STORAGE_FULL') return error;
  throw error;
}
