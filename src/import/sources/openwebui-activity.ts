/**
 * OpenWebUI writes thinking and tool calls into the text of an answer, as `<details type="…">` elements. Their
 * attributes have the name, the arguments and often the result of a call, as escaped text.
 */
import { withoutEntities } from '../reading/text/html.js';
import { paragraphs } from '../reading/text/paragraphs.js';

export interface OpenWebUiActivity {
  readonly type: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The text of the element without its summary. */
  readonly body: string;
}

const OPEN = '<details type="';
const CLOSE = '</details>';
const TYPE = /<details type="(reasoning|tool_calls|code_interpreter)"/y;
const ATTRIBUTE = /(?<![\w-])([\w-]+)="([^"]*)"/g;
const SUMMARY = /^\s*<summary>.*<\/summary>\n?/;

/** The activities in the order of the text, and the text without them. */
export function openWebUiActivity(text: string): {
  readonly activities: readonly OpenWebUiActivity[];
  readonly rest: string;
} {
  const activities: OpenWebUiActivity[] = [];
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf(OPEN); at !== -1; ) {
    TYPE.lastIndex = at;
    const type = TYPE.exec(text)?.[1];
    if (type !== undefined) {
      const tagEnd = text.indexOf('>', at);
      const end = tagEnd === -1 ? -1 : text.indexOf(CLOSE, tagEnd);
      if (end === -1) break;
      const body = text
        .slice(tagEnd + 1, end)
        .replace(SUMMARY, '')
        .trim();
      const attributes = attributesOf(text.slice(at, tagEnd));
      activities.push({ type, attributes, body: withoutEntities(body) });
      pieces.push(text.slice(from, at));
      from = end + CLOSE.length;
    }
    at = text.indexOf(OPEN, Math.max(from, at + OPEN.length));
  }
  if (activities.length === 0) return { activities, rest: text };
  const parts = [...pieces, text.slice(from)].map((piece) => piece.trim());
  return { activities, rest: paragraphs(parts) };
}

function attributesOf(tag: string): Record<string, string> {
  const found = tag.matchAll(ATTRIBUTE);
  return Object.fromEntries(
    [...found].map(([, name = '', value = '']) => [name, withoutEntities(value)]),
  );
}
