/**
 * The export formats that are one text, written piece by piece (docs/FORMAT.md). JSON has the documents of
 * the store. JSON Lines has one line for each conversation and for each message. The `openai` format has
 * one line for each conversation, as programs for language models read it. Markdown is for readers and
 * cannot be imported again. Uses no files.
 */
import type { JsonObject } from '../base/json-fields.js';
import { conversationMarkdown, type TimeFormat } from './markdown/conversation-markdown.js';

export const EXPORT_FORMATS = ['json', 'jsonl', 'openai', 'markdown'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The first field of a JSON export, which identifies the format. */
export const EXPORT_NAME = 'daybook-export';
export const EXPORT_VERSION = 1;

/** A document as the store writes it: `messages` is a list of objects. */
export type ExportedDocument = JsonObject & { conversationId: string; messages: JsonObject[] };

export interface ExportWriter {
  opening(exportedAt: string): string;
  /** The conversation in pieces, so that memory has it only once. `timeOf` is how Markdown writes a time. */
  conversation(document: ExportedDocument, isFirst: boolean, timeOf?: TimeFormat): Iterable<string>;
  readonly closing: string;
}

const json: ExportWriter = {
  opening: (exportedAt) => {
    const start = { format: EXPORT_NAME, version: EXPORT_VERSION, exportedAt };
    return `${JSON.stringify(start, null, 2).slice(0, -'\n}'.length)},\n  "conversations": [`;
  },
  *conversation({ messages, ...head }, isFirst) {
    const opening = JSON.stringify(head, null, 2).slice(0, -'\n}'.length);
    yield `${isFirst ? '' : ','}\n    ${indented(opening, 4)},\n      "messages": [`;
    for (const [index, message] of messages.entries()) {
      yield `${index === 0 ? '' : ','}\n        ${indented(JSON.stringify(message, null, 2), 8)}`;
    }
    yield `${messages.length === 0 ? '' : '\n      '}]\n    }`;
  },
  closing: '\n  ]\n}\n',
};

const jsonLines: ExportWriter = {
  opening: () => '',
  *conversation({ messages, ...head }) {
    yield `${JSON.stringify({ thread: threadOf(head) })}\n`;
    for (const [index, message] of messages.entries()) {
      const { id, role, content, ...others } = lineOf(message);
      const open = { id, threadId: head.conversationId, seq: index + 1, role, content };
      yield `${JSON.stringify({ message: { ...open, ...others } })}\n`;
    }
  },
  closing: '',
};

/** A conversation without its messages; its field `conversationId` becomes `id`. */
export function threadOf({ conversationId: id, ...head }: Omit<ExportedDocument, 'messages'>) {
  const { module, title, createdAt, updatedAt, messageCount, formatVersion, ...others } = head;
  const { clientId, pinned, tags, metadata, branchOf, ...extra } = others;
  return {
    id,
    module,
    title,
    createdAt,
    updatedAt,
    messageCount,
    formatVersion,
    clientId,
    pinned,
    tags,
    metadata,
    branchOf,
    ...inExtra(extra),
  };
}

export function lineOf(message: JsonObject): JsonObject {
  const { id, role, content, createdAt, parentMessageId, metadata, ...extra } = message;
  return { id, role, content, createdAt, parentMessageId, metadata, ...inExtra(extra) };
}

/** Unknown fields are in `extra`, because one of them could be called `seq` or `threadId`. */
const inExtra = (extra: JsonObject) => (Object.keys(extra).length === 0 ? {} : { extra });

/** The field `daybook` has what other programs do not know, so that it is easy to remove. */
const openai: ExportWriter = {
  opening: () => '',
  *conversation({ messages, ...conversation }) {
    yield '{"messages":[';
    for (const [index, { role, content }] of messages.entries()) {
      yield `${index === 0 ? '' : ','}${JSON.stringify({ role, content })}`;
    }
    const others = messages.map(({ role: _role, content: _content, ...rest }) => rest);
    const daybook = { version: EXPORT_VERSION, conversation, messages: others };
    yield `],"daybook":${JSON.stringify(daybook)}}\n`;
  },
  closing: '',
};

const markdown: ExportWriter = {
  opening: () => '',
  conversation: (document, isFirst, timeOf) => conversationMarkdown(document, isFirst, timeOf),
  closing: '',
};

const indented = (text: string, spaces: number) => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

export const EXPORT_WRITERS: Readonly<Record<ExportFormat, ExportWriter>> = {
  json,
  jsonl: jsonLines,
  openai,
  markdown,
};
