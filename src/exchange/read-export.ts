/**
 * Reads an export conversation by conversation. A damaged conversation is reported with its location and
 * does not stop the others. JSON Lines are read in bounded memory; a JSON export is read as a whole.
 * Formats of other programs are not read here.
 */

import { z } from 'zod';
import { firstOf } from '../base/async/first-of.js';
import { AppError, isAppError, withHint } from '../base/errors.js';
import { parsedJson } from '../base/json.js';
import { isRecord, type JsonObject } from '../base/json-fields.js';
import { readJson } from '../files/read/json-document.js';
import { type Line, readLines } from '../files/read/read-lines.js';
import { EXPORT_NAME, EXPORT_VERSION } from './export-formats.js';

const HINT =
  'Nothing was changed. Give a file that `export_conversations` wrote in the format json or jsonl, or a backup (.tar.gz). For other exports, use `import_conversations`.';

interface Place {
  /** Location in the file, for people: `line 12`, `conversations[3]`. */
  readonly location: string;
}

export interface ExportedConversation extends Place {
  readonly conversationId: string;
  readonly value: JsonObject;
}

/** One conversation of an export, or the error of one. */
export type ExportRecord =
  | (ExportedConversation & { readonly error?: undefined })
  | (Place & { readonly conversationId?: string; readonly error: AppError });

/** Throws CORRUPT (the file is not an export), FORMAT_TOO_NEW, TOO_LARGE or FILESYSTEM_ERROR. */
export async function* readExport(path: string): AsyncGenerator<ExportRecord> {
  if (await startsWithLine(path)) yield* readJsonLines(path);
  else yield* await recordsIn(path);
}

async function startsWithLine(path: string): Promise<boolean> {
  const line = await firstOf(readLines(path));
  return line === undefined || parseLine(line) !== undefined; // an empty file is an export without conversations
}

const exportSchema = z.object({
  format: z.literal(EXPORT_NAME),
  version: z.number(),
  conversations: z.array(z.unknown()),
});

async function recordsIn(path: string): Promise<ExportRecord[]> {
  const value = await readJson(path).catch((error: unknown) => {
    // A text that is not JSON need not be damaged: it may be an export of another format, such as Markdown.
    throw isAppError(error, 'CORRUPT') ? withHint(error, HINT) : error;
  });
  // The value itself is used, because the schema returns a copy without unknown keys.
  if (!exportSchema.safeParse(value).success) throw notAnExport(path);
  const { version, conversations } = value as { version: number; conversations: unknown[] };
  if (version > EXPORT_VERSION) {
    throw new AppError('FORMAT_TOO_NEW', `A newer version of Daybook wrote ${path}.`, {
      details: { path, version },
    });
  }
  return conversations.map((each, index) => {
    const location = `conversations[${index}]`;
    if (!isRecord(each)) return { location, error: invalid(`${location} is not a conversation.`) };
    const { conversationId } = each;
    return typeof conversationId === 'string'
      ? { location, conversationId, value: each }
      : { location, error: invalid(`${location} has no conversationId.`) };
  });
}

/** A conversation whose lines are being read. */
interface OpenConversation {
  readonly location: string;
  readonly conversationId: string;
  readonly head: JsonObject;
  readonly messages: JsonObject[];
  error: AppError | undefined;
}

async function* readJsonLines(path: string): AsyncGenerator<ExportRecord> {
  let open: OpenConversation | undefined;
  for await (const line of readLines(path)) {
    const location = `line ${line.number}`;
    const { thread, message } = parseLine(line) ?? {};
    const threadId = isRecord(thread) ? thread['id'] : undefined;
    if (isRecord(thread) && typeof threadId === 'string') {
      if (open !== undefined) yield recordOf(open);
      const head = fromLine(thread, ['id']);
      open = { location, conversationId: threadId, head, messages: [], error: undefined };
    } else if (open && isRecord(message) && message['threadId'] === open.conversationId) {
      open.messages.push({ ...fromLine(message, ['threadId', 'seq']) });
    } else {
      const error = invalid(
        `${location} is neither a conversation nor a message of the conversation before it.`,
      );
      // A message of the open conversation may be lost, so the conversation is refused.
      if (open === undefined) yield { location, error };
      else open.error ??= error;
    }
  }
  if (open !== undefined) yield recordOf(open);
}

function recordOf({
  location,
  conversationId,
  head,
  messages,
  error,
}: OpenConversation): ExportRecord {
  if (error !== undefined) return { location, conversationId, error };
  const { messageCount } = head;
  if (typeof messageCount === 'number' && messageCount !== messages.length) {
    const counted = `the file has ${messages.length} of its ${messageCount} messages`;
    return {
      location,
      conversationId,
      error: invalid(`${conversationId} is incomplete: ${counted}.`),
    };
  }
  return { location, conversationId, value: { conversationId, ...head, messages } };
}

/** Removes the fields of the line format (`own`), and moves the fields of `extra` back to the object. */
function fromLine(fields: JsonObject, own: readonly string[]): JsonObject {
  const { extra, ...known } = fields;
  const others = Object.fromEntries(Object.entries(known).filter(([key]) => !own.includes(key)));
  return isRecord(extra) ? { ...others, ...extra } : others;
}

/** `undefined` if the line does not belong to an export. */
function parseLine({ text }: Line): { thread?: unknown; message?: unknown } | undefined {
  const value = parsedJson(text);
  return isRecord(value) && ('thread' in value || 'message' in value) ? value : undefined;
}

const invalid = (message: string) => new AppError('VALIDATION_ERROR', message);

function notAnExport(path: string): AppError {
  return new AppError('CORRUPT', `${path} is not an export of Daybook in JSON or JSON Lines.`, {
    hint: HINT,
    details: { path },
  });
}
