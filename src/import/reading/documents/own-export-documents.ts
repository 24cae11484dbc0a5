/**
 * Restores a conversation document from the formats of `daybook export` (docs/FORMAT.md), byte for byte.
 * The functions return `undefined` if the export was edited so that a part is missing.
 */

import { parsedJson } from '../../../base/json.js';
import { isRecord, objectIn, objectsIn, textIn } from '../../../base/json-fields.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';

const VERSION = 1;
const COMMENT = '\n<!-- daybook:message ';

/** From the line of a conversation and the lines of its messages, in order. */
export function documentOfLines(
  thread: JsonObject,
  messages: readonly JsonObject[],
): JsonObject | undefined {
  const { id, messageCount, ...head } = thread;
  // Other programs write similar lines, but without a version.
  if (typeof head['formatVersion'] !== 'number' || messageCount !== messages.length) {
    return undefined;
  }
  return {
    conversationId: id,
    ...withExtra(head),
    messages: messages.map(({ threadId: _thread, seq: _seq, ...message }) => withExtra(message)),
  };
}

/** From a line with `messages`, whose field `daybook` has all other fields. */
export function documentOfOpenAi(line: JsonObject): JsonObject | undefined {
  const { version, conversation, messages: others } = objectIn(line['daybook']);
  const [said, rest] = [objectsIn(line['messages']), objectsIn(others)];
  if (version !== VERSION || !isRecord(conversation) || said.length !== rest.length) {
    return undefined;
  }
  const messages = said.map(({ role, content }, index) => ({ role, content, ...rest[index] }));
  return { ...conversation, messages };
}

export const isDaybookMarkdown = (text: string): boolean =>
  /^\ufeff?---\r?\ndaybook: 1\r?\n/.test(text);

/** From one file of a folder of Markdown. */
export function documentOfMarkdown(given: string): JsonObject | undefined {
  // An editor may have changed the line ends. A message with CRLF in its own text has that text in the
  // comment.
  const text = given.replaceAll('\r\n', '\n').replace(/^\ufeff/, '');
  const end = text.indexOf('\n---\n');
  const thread = frontmatter(text.slice('---\n'.length, end));
  const messages = text.slice(end).split(COMMENT).slice(1).map(messageOf);
  const whole = messages.filter((message) => message !== undefined);
  if (end === -1 || thread === undefined || whole.length < messages.length) return undefined;
  return documentOfLines(thread, whole);
}

function frontmatter(text: string): JsonObject | undefined {
  const fields: JsonObject = {};
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+):\s*(\S.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    if (name !== 'daybook') fields[name] = parsedJson(value) ?? value;
  }
  return fields;
}

/** `part`: the text after the beginning of one message comment, up to the next comment. */
function messageOf(part: string): JsonObject | undefined {
  const end = part.indexOf(' -->\n');
  const start = part.indexOf('\n\n', end);
  const fields = parsedJson(part.slice(0, end));
  if (end === -1 || start === -1 || !isRecord(fields)) return undefined;
  const { fence, ...message } = fields;
  const text = part.slice(start + 2).replace(/\n$/, '');
  const closing = `\n${textIn(fence) ?? ''}`;
  const content =
    fence !== undefined && text.endsWith(closing) ? text.slice(0, -closing.length) : text;
  return { content: content.replaceAll(/(^|\n)\\(\\*<!-- daybook:)/g, '$1$2'), ...message };
}

const withExtra = ({ extra, ...fields }: JsonObject): JsonObject => ({
  ...fields,
  ...objectIn(extra),
});
