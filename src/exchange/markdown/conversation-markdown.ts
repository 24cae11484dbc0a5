/** A conversation in Markdown: a heading, then each message below a line with role and time. */
import type { JsonObject } from '../../base/json-fields.js';
import { messageMarkdown } from './message-markdown.js';
import { citedPages, oneLine, pageLine } from './message-sources.js';

/** Formats an ISO 8601 time as day, hour and minute, for example `2025-01-24 15:00`. */
export type TimeFormat = (time: string) => string;

const utcMinute: TimeFormat = (time) => time.slice(0, 16).replace('T', ' ');

const SPEAKERS: Record<string, string> = { user: 'User', assistant: 'Assistant', system: 'System' };

/** The document in pieces. If it is not the first conversation, it begins with a horizontal rule. */
export function* conversationMarkdown(
  { messages, ...head }: JsonObject & { readonly messages: readonly JsonObject[] },
  isFirst: boolean,
  timeOf: TimeFormat = utcMinute,
): Generator<string> {
  yield `${isFirst ? '' : '\n---\n\n'}${headingOf(head, timeOf)}`;
  for (const message of messages) {
    const text = messageMarkdown(String(message['content']));
    yield `\n${speakerLine(message, timeOf)}\n\n${text}\n${sourcesOf(message)}`;
  }
}

/** The pages that the message cites, as a list. Their titles are text of other people: nothing in them is markup. */
function sourcesOf({ metadata }: JsonObject): string {
  const lines = citedPages(metadata).map(({ label, url }) => {
    const link = /^https?:[^\s<>]+$/i.test(url) ? `<${url}>` : escaped(url);
    return `- ${pageLine({ label: escaped(label), url: link })}\n`;
  });
  return lines.length === 0 ? '' : `\nSources:\n\n${lines.join('')}`;
}

const escaped = (text: string) => text.replaceAll(/[\\`*_[\]<>#|~]/g, '\\$&');

/** The first lines of the document: title, day, module, tags, key and id. */
export function headingOf(
  { conversationId, clientId, title, module, createdAt, tags }: JsonObject,
  timeOf: TimeFormat = utcMinute,
): string {
  const facts = [
    timeOf(String(createdAt)).slice(0, 10),
    ...(module === undefined ? [] : [String(module)]),
    ...(Array.isArray(tags) && tags.length > 0 ? [tags.map((tag) => `#${tag}`).join(' ')] : []),
    ...(clientId === undefined ? [] : [String(clientId)]),
    String(conversationId),
  ];
  const heading = oneLine(String(title ?? 'Untitled conversation'));
  return `# ${heading}\n\n*${facts.map(oneLine).join(' · ')}*\n`;
}

export const speakerLine = (
  { role, createdAt }: JsonObject,
  timeOf: TimeFormat = utcMinute,
): string => `## ${SPEAKERS[String(role)]} · ${timeOf(String(createdAt))}`;
