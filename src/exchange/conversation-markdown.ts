/**
 * A conversation as a Markdown document for readers: its heading, the line above each message with role
 * and time, and the messages. Nothing here touches a file.
 */
import type { JsonObject } from '../stores/conversations/document/schema.js';
import { messageMarkdown } from './message-markdown.js';

/** The day, and hour and minute, of an ISO 8601 time, such as `2025-01-24 15:00`. */
export type TimeFormat = (time: string) => string;

const utcMinute: TimeFormat = (time) => time.slice(0, 16).replace('T', ' ');

const SPEAKERS: Record<string, string> = { user: 'User', assistant: 'Assistant', system: 'System' };

/** In pieces; after another conversation it begins with a rule. */
export function* conversationMarkdown(
  { messages, ...head }: JsonObject & { readonly messages: readonly JsonObject[] },
  isFirst: boolean,
  timeOf: TimeFormat = utcMinute,
): Generator<string> {
  yield `${isFirst ? '' : '\n---\n\n'}${headingOf(head, timeOf)}`;
  for (const message of messages) {
    yield `\n${speakerLine(message, timeOf)}\n\n${messageMarkdown(String(message['content']))}\n`;
  }
}

/** Title, day, module, tags, key and id, as the beginning of a Markdown document. */
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

export const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
