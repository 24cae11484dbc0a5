/**
 * The three forms of an export, piece by piece (docs/FORMAT.md): JSON, the documents of the store as
 * they are; JSON Lines, one line a conversation and one a message; Markdown, for reading, which is
 * never read back. Nothing here touches a file.
 */
import type { JsonObject } from '../stores/conversations/document/schema.js';
import { messageMarkdown } from './message-markdown.js';

export const EXPORT_FORMATS = ['json', 'jsonl', 'markdown'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** First fields of a JSON export; what says that a file is one. */
export const EXPORT_NAME = 'daybook-export';
export const EXPORT_VERSION = 1;

/** A document as the store writes it: `messages` is a list of objects. */
export type ExportedDocument = JsonObject & { conversationId: string; messages: JsonObject[] };

export interface ExportWriter {
  opening(exportedAt: string): string;
  /** In pieces, so that no conversation has to be put together in memory twice. */
  conversation(document: ExportedDocument, isFirst: boolean): Iterable<string>;
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
  *conversation({ messages, conversationId: id, module, title, createdAt, ...rest }) {
    const { updatedAt, messageCount, formatVersion, ...others } = rest;
    const { clientId, pinned, tags, metadata, branchOf, ...extra } = others;
    const thread = {
      ...{ id, module, title, createdAt, updatedAt, messageCount, formatVersion },
      ...{ clientId, pinned, tags, metadata, branchOf },
      ...inExtra(extra),
    };
    yield `${JSON.stringify({ thread })}\n`;
    for (const [index, message] of messages.entries()) {
      yield `${JSON.stringify({ message: lineOf(message, id, index + 1) })}\n`;
    }
  },
  closing: '',
};

function lineOf(message: JsonObject, threadId: string, seq: number): JsonObject {
  const { id, role, content, createdAt, parentMessageId, metadata, ...extra } = message;
  return {
    ...{ id, threadId, seq, role, content, createdAt, parentMessageId, metadata },
    ...inExtra(extra),
  };
}

/** In a place of their own: an unknown field could be called `seq` or `threadId`. */
const inExtra = (extra: JsonObject) => (Object.keys(extra).length === 0 ? {} : { extra });

const SPEAKERS: Record<string, string> = { user: 'User', assistant: 'Assistant', system: 'System' };

const markdown: ExportWriter = {
  opening: () => '',
  *conversation({ messages, conversationId, title, module, createdAt, tags }, isFirst) {
    const facts = [
      String(createdAt).slice(0, 10),
      ...(module === undefined ? [] : [String(module)]),
      ...(Array.isArray(tags) && tags.length > 0 ? [tags.map((tag) => `#${tag}`).join(' ')] : []),
      conversationId,
    ];
    const heading = oneLine(String(title ?? 'Untitled conversation'));
    yield `${isFirst ? '' : '\n---\n\n'}# ${heading}\n\n*${facts.map(oneLine).join(' · ')}*\n`;
    for (const { role, content, createdAt: time } of messages) {
      const when = String(time).slice(0, 16).replace('T', ' ');
      yield `\n## ${SPEAKERS[String(role)]} · ${when}\n\n${messageMarkdown(String(content))}\n`;
    }
  },
  closing: '',
};

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

const indented = (text: string, spaces: number) => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

export const EXPORT_WRITERS: Readonly<Record<ExportFormat, ExportWriter>> = {
  json,
  jsonl: jsonLines,
  markdown,
};
