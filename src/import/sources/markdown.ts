/**
 * Transcripts in Markdown, with a heading or a bold word for each speaker, such as `## User`, `###
 * Assistant` or `**You:**`. A text with fewer than two speakers is no transcript.
 */
import { posix } from 'node:path';
import type { Input, InputFile } from '../../files/input/input-types.js';
import type { Role } from '../../stores/conversations/document/schema.js';
import { textOf, unreadableConversation } from '../reading/documents.js';
import { roleIn } from '../reading/roles.js';
import { timeIn } from '../reading/times.js';
import type { ImportedMessage, ImportItem, Source } from '../source-interface.js';

const MARKDOWN = /\.(md|markdown|txt)$/i;
/** Matches `## User`, `## User (2025-01-24 10:00)`, `**User:**`, and `User:` alone on a line. */
const SPEAKER =
  /^(?:#{1,6}\s+(?:\S{1,4}\s+)?\*{0,2}([A-Za-z]+)\*{0,2}:?|\*\*([A-Za-z]+):?\*\*:?|([A-Za-z]+):)(?:\s*[([—–-]?\s*(\d{4}-\d\d-\d\d[^)\]]*)[)\]]?)?\s*$/;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_PEEKS = 5;

export const markdown: Source = {
  kind: 'markdown',
  title: 'Markdown transcripts',
  async detect(input) {
    for (const file of filesOf(input).slice(0, MAX_PEEKS)) {
      if (isTranscript((await textOf(file)) ?? '')) return true;
    }
    return false;
  },
  async *read(input, { signal }) {
    for (const file of filesOf(input)) {
      signal?.throwIfAborted();
      yield await conversationOf(file);
    }
  },
};

function filesOf({ files }: Input): readonly InputFile[] {
  return files.filter(({ name, sizeBytes }) => MARKDOWN.test(name) && sizeBytes <= MAX_BYTES);
}

async function conversationOf(file: InputFile): Promise<ImportItem> {
  const text = await textOf(file);
  if (text === undefined) return unreadableConversation(file.name, 'the document');
  const { fields, body } = frontMatter(text);
  const title = /^#\s+(.+)$/m.exec(body)?.[1]?.trim();
  const isSpeaker = title !== undefined && roleIn(title.replace(/:$/, '')) !== undefined;
  return {
    type: 'conversation',
    ...{ path: file.name, fileTimeMs: file.modifiedAtMs },
    id: fields.get('id') ?? file.name,
    title: fields.get('title') ?? (isSpeaker ? undefined : title) ?? posix.parse(file.name).name,
    createdAt: timeIn(fields.get('created') ?? fields.get('date')),
    updatedAt: timeIn(fields.get('updated')),
    module: fields.get('module') ?? fields.get('project'),
    messages: messagesIn(body),
  };
}

/** Whether the text has at least two speakers. */
export const isTranscript = (text: string): boolean =>
  new Set(messagesIn(text).map(({ role }) => role)).size > 1;

function messagesIn(text: string): ImportedMessage[] {
  const messages: { role: Role; lines: string[]; createdAt: string | undefined }[] = [];
  let fence: string | undefined;
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const marker = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (marker !== undefined) {
      if (fence === undefined) fence = marker;
      else if (marker.startsWith(fence)) fence = undefined;
    }
    const speaker = fence === undefined && line.length < 200 ? SPEAKER.exec(line) : null;
    const role = roleIn(speaker?.[1] ?? speaker?.[2] ?? speaker?.[3]);
    if (role !== undefined)
      messages.push({ role, lines: [], createdAt: timeIn(speaker?.[4]?.trim()) });
    else messages.at(-1)?.lines.push(line);
  }
  return messages
    .map(({ role, lines, createdAt }) => ({ role, content: trimmed(lines), createdAt }))
    .filter(({ content }) => content !== '');
}

/** Removes blank lines, and the horizontal rule that many programs write between messages. */
const trimmed = (lines: readonly string[]) =>
  lines
    .join('\n')
    .trim()
    .replace(/\n+(?:-{3,}|\*{3,})$/, '')
    .trim();

/** Reads `name: value` lines between `---` lines; other YAML is ignored. */
export function frontMatter(text: string): { fields: ReadonlyMap<string, string>; body: string } {
  const found = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text);
  const fields = new Map<string, string>();
  if (found === null) return { fields, body: text };
  for (const line of (found[1] ?? '').split(/\r?\n/)) {
    const [, name, value] = /^([\w-]+):\s*(.+?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) {
      fields.set(name.toLowerCase(), value.replace(/^(['"])(.*)\1$/, '$2'));
    }
  }
  return { fields, body: text.slice(found[0].length) };
}
