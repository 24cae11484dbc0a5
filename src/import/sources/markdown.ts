/**
 * Transcripts in Markdown or plain text (reading/text/transcript.ts), with front matter. The text before the first
 * speaker becomes metadata of the first message.
 */
import { posix } from 'node:path';
import type { Input, InputFile } from '../../files/input/input-types.js';
import { textOf, unreadableConversation } from '../reading/documents/documents.js';
import { roleIn } from '../reading/text/roles.js';
import { speakerHeading } from '../reading/text/speaker-heading.js';
import { timeIn } from '../reading/text/times.js';
import { isTranscript, transcriptIn, trimmed } from '../reading/text/transcript.js';
import type { Activity, ImportItem, Source } from '../source-interface.js';
import { aiderConversations, isAiderLog } from './aider-log.js';
import { claudeCodeScreen, isClaudeCodeScreen } from './claude/claude-code-screen.js';

const MARKDOWN = /\.(md|markdown|txt)$/i;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_PEEKS = 5;

export const markdown: Source = {
  kind: 'markdown',
  title: 'Markdown transcripts',
  async detect(input) {
    for (const file of documentsIn(input).slice(0, MAX_PEEKS)) {
      const text = (await textOf(file)) ?? '';
      if (isTranscript(frontMatter(text).body) || isAiderLog(text) || isClaudeCodeScreen(text))
        return true;
    }
    return false;
  },
  async *read(input, { signal, activity }) {
    for (const file of input.form === 'file' ? input.files : documentsIn(input)) {
      signal?.throwIfAborted();
      yield* conversationsOf(file, activity);
    }
  },
};

function documentsIn({ files }: Input): readonly InputFile[] {
  return files.filter(({ name, sizeBytes }) => MARKDOWN.test(name) && sizeBytes <= MAX_BYTES);
}

async function* conversationsOf(file: InputFile, activity: Activity): AsyncGenerator<ImportItem> {
  const text = await textOf(file);
  if (text === undefined) yield unreadableConversation(file.name, 'the document');
  else if (isAiderLog(text)) yield* aiderConversations(text, file, activity);
  else if (isClaudeCodeScreen(text)) yield claudeCodeScreen(text, file, activity);
  else yield conversationOf(file, text);
}

function conversationOf(file: InputFile, text: string): ImportItem {
  const { fields, body } = frontMatter(text);
  const title = /^#\s+(.+)$/m.exec(body)?.[1]?.trim();
  const { messages, before, marker } = transcriptIn(body);
  const isSpeaker =
    title !== undefined &&
    (roleIn(title.replace(/:$/, '')) !== undefined ||
      (marker === '#' && speakerHeading(`# ${title}`) !== undefined));
  const [first, ...others] = messages;
  const isTitle = (line: string) =>
    title !== undefined && /^#\s+(.+)$/.exec(line)?.[1]?.trim() === title;
  const head = text.slice(0, text.length - body.length).split(/\r?\n/);
  const preamble = trimmed([
    ...head.filter((line) => !KNOWN_FIELD.test(line)),
    ...before.filter((line) => fields.has('title') || !isTitle(line)),
  ]);
  return {
    type: 'conversation',
    path: file.name,
    fileTimeMs: file.modifiedAtMs,
    id: fields.get('id') ?? file.name,
    title: fields.get('title') ?? (isSpeaker ? undefined : title) ?? nameOf(file),
    createdAt: timeIn(fields.get('created') ?? fields.get('date')),
    updatedAt: timeIn(fields.get('updated')),
    module: fields.get('module') ?? fields.get('project'),
    messages:
      first === undefined || preamble === ''
        ? messages
        : [{ ...first, metadata: { preamble, ...first.metadata } }, ...others],
  };
}

/** A line of the front matter whose value is in a field of the conversation. */
const KNOWN_FIELD = /^\ufeff?(---$|(id|title|created|date|updated|module|project):)/i;

const nameOf = ({ name, isUnnamed }: InputFile) => (isUnnamed ? undefined : posix.parse(name).name);

/** Reads `name: value` lines between `---` lines; other YAML is ignored. */
export function frontMatter(text: string): { fields: ReadonlyMap<string, string>; body: string } {
  const found = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text);
  const fields = new Map<string, string>();
  if (found === null) return { fields, body: text };
  for (const line of (found[1] ?? '').split(/\r?\n/)) {
    const [, name, rest = ''] = /^([\w-]+):(.*)$/.exec(line) ?? [];
    const value = rest.trim();
    if (name !== undefined && value !== '') {
      fields.set(name.toLowerCase(), value.replace(/^(['"])(.*)\1$/, '$2'));
    }
  }
  return { fields, body: text.slice(found[0].length) };
}
