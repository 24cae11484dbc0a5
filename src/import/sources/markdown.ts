/**
 * Transcripts in Markdown or plain text, with a heading or a name for each speaker, such as `## User`,
 * `## Assistant (gpt-4)`, `**You:**` or `User: text`. The text may follow a name on its line. A text with fewer
 * than two speakers is no transcript. The text before the first speaker becomes metadata of the first message.
 */
import { posix } from 'node:path';
import { definedOrNothing } from '../../base/json-fields.js';
import type { Input, InputFile } from '../../files/input/input-types.js';
import type { Role } from '../../stores/conversations/document/schema.js';
import { textOf, unreadableConversation } from '../reading/documents.js';
import { roleIn } from '../reading/roles.js';
import { type SpeakerHeading, speakerHeading, timedText } from '../reading/speaker-heading.js';
import { timeIn } from '../reading/times.js';
import type { Activity, ImportedMessage, ImportItem, Source } from '../source-interface.js';
import { aiderConversations, isAiderLog } from './aider-log.js';
import { claudeCodeScreen, isClaudeCodeScreen } from './claude/claude-code-screen.js';

const MARKDOWN = /\.(md|markdown|txt)$/i;
/**
 * Matches `## User`, `## User (2025-01-24 10:00)`, `**User:**`, and `User:` alone on a line. In text copied
 * from ChatGPT's page the names are `You said:` and `ChatGPT said:`.
 */
const SPEAKER =
  /^(?:#{1,6}\s+(?:[^\sA-Za-z*]{1,4}\s+)?\*{0,2}([A-Za-z]+)(?: said)?:?\*{0,2}:?|\*\*([A-Za-z]+)(?: said)?:?\*\*:?|([A-Za-z]+)(?: said)?:)(?:\s*[([—–-]?\s*(\d{4}-\d\d-\d\d[^)\]]*)[)\]]?)?\s*$/;
/**
 * Names that the text follows on their line. They are fewer than in roles.ts, because a note may have fields
 * such as `**Model:** GPT` and `**Response:** 200`.
 */
const NAME = '(user|human|you|me|assistant|ai|bot|gemini|claude|chatgpt|gpt|system)';
/** Matches `**You:** text` and `**You**: text`. */
const BOLD_NAME_WITH_TEXT = new RegExp(
  `^\\*\\*${NAME}(?::\\*\\*|\\*\\*:)[ \\t]+([^ \\t].*)$`,
  'is',
);
/** Matches `You: text`. */
const PLAIN_NAME_WITH_TEXT = new RegExp(`^${NAME}:[ \\t]+([^ \\t].*)$`, 'is');
const COPILOT = 'GitHub Copilot: ';
/** Matches a line such as `**Date:** today`. */
const FIELD = /^\*\*[^*]+(?::\*\*|\*\*:)[ \t]/;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_PEEKS = 5;
/** Each open code block costs one more pass over the text. */
const MAX_OPEN_FENCES = 20;

export const markdown: Source = {
  kind: 'markdown',
  title: 'Markdown transcripts',
  async detect(input) {
    for (const file of documentsIn(input).slice(0, MAX_PEEKS)) {
      const text = (await textOf(file)) ?? '';
      if (isTranscript(text) || isAiderLog(text) || isClaudeCodeScreen(text)) return true;
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

/** Whether the text has at least two speakers. */
export const isTranscript = (text: string): boolean =>
  rolesOf(transcriptIn(frontMatter(text).body)).size > 1;

interface Transcript {
  readonly messages: ImportedMessage[];
  /** What the headings of speakers begin with, if they name models or times. */
  readonly marker?: string | undefined;
  /** The lines before the first speaker. */
  readonly before: readonly string[];
}

const rolesOf = ({ messages }: Transcript): ReadonlySet<Role> =>
  new Set(messages.map(({ role }) => role));

interface Speaker extends Partial<Omit<SpeakerHeading, 'role'>> {
  readonly role: Role;
  /** The text that follows the name on its line. */
  readonly text?: string | undefined;
}

function transcriptIn(text: string): Transcript {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  // A plain name is a speaker only if the text begins with one: notes have fields such as `User: root`.
  const first = lines.find((line) => line.trim() !== '' && !/^#\s/.test(line)) ?? '';
  const plain = PLAIN_NAME_WITH_TEXT.test(first) && dialogueOf(lines, PLAIN_NAME_WITH_TEXT);
  const named = plain || copilotDialogue(lines, first);
  if (named !== undefined) return named;
  const alone = transcriptOf(lines, speakerAlone);
  const headed = headedTranscript(lines, alone);
  if (headed !== undefined) return headed;
  // A transcript with headings may quote lines with bold names, so these are not speakers in it.
  if (rolesOf(alone).size > 1 && !lines.some(isBoldName)) return alone;
  return (isFieldList(lines) ? undefined : dialogueOf(lines, BOLD_NAME_WITH_TEXT)) ?? alone;
}

/**
 * A transcript whose headings name models or times. `undefined` if it has none, or if reading it without them
 * (`alone`) finds all speakers. A message may quote such a heading, so all headings of speakers must have the
 * marker of the first one. If the names alone make a dialogue, a heading with a model only begins the answer
 * of the other speaker.
 */
function headedTranscript(lines: readonly string[], alone: Transcript): Transcript | undefined {
  const headings = new Map<string, SpeakerHeading>();
  for (const line of lines) {
    const found = headings.has(line) ? undefined : speakerHeading(line);
    if (found !== undefined) headings.set(line, found);
  }
  const [first] = headings.values();
  if (first === undefined) return undefined;
  const { marker } = first;
  const headingIn = (line: string) => {
    const found = headings.get(line);
    return found?.marker === marker ? found : undefined;
  };
  const names = transcriptOf(lines, (line) => headingIn(line) && speakerAlone(line));
  const all = isDialogue(names)
    ? transcriptOf(lines, (line, last) => speakerAlone(line) ?? unlessBy(last, headingIn(line)))
    : transcriptOf(lines, headingIn);
  const isMore = all.messages.length > alone.messages.length || !isDialogue(alone);
  return isDialogue(all) && isMore ? { ...all, marker } : undefined;
}

/** What VS Code copies of a chat with Copilot: the first name is that of the user. */
function copilotDialogue(lines: readonly string[], first: string): Transcript | undefined {
  const user = /^[A-Za-z\d][\w-]{0,38}(?=: [^ ])/.exec(first)?.[0];
  if (user === undefined || !lines.some((line) => line.startsWith(COPILOT))) return undefined;
  return transcriptOf(lines, (line) => {
    const name = [COPILOT, `${user}: `].find((own) => line.startsWith(own));
    if (name === undefined) return undefined;
    return { role: name === COPILOT ? 'assistant' : 'user', text: line.slice(name.length) };
  });
}

const unlessBy = (last: Role | undefined, speaker: Speaker | undefined) =>
  speaker?.role === last ? undefined : speaker;

/** `undefined` unless both a person and an assistant speak. `names` matches a name with text. */
function dialogueOf(lines: readonly string[], names: RegExp): Transcript | undefined {
  const all = transcriptOf(lines, (line) => speakerAlone(line) ?? speakerWithText(line, names));
  return isDialogue(all) ? all : undefined;
}

function isDialogue(transcript: Transcript): boolean {
  const roles = rolesOf(transcript);
  return roles.has('user') && roles.has('assistant');
}

function speakerAlone(line: string): Speaker | undefined {
  const found = line.length < 200 ? SPEAKER.exec(line) : null;
  const role = roleIn(found?.[1] ?? found?.[2] ?? found?.[3]);
  return role && { role, createdAt: timeIn(found?.[4]?.trim()) };
}

function speakerWithText(line: string, names: RegExp): Speaker | undefined {
  const [, name, text] = names.exec(line) ?? [];
  const role = roleIn(name);
  return role && { role, text };
}

const isBoldName = (line: string) => line.startsWith('**') && speakerAlone(line) !== undefined;

/** Whether the first name with text is one of several fields of a note, such as `**Date:** today`. */
function isFieldList(lines: readonly string[]): boolean {
  const before = lines[lines.findIndex((line) => BOLD_NAME_WITH_TEXT.test(line)) - 1];
  return before !== undefined && FIELD.test(before);
}

function transcriptOf(
  lines: readonly string[],
  speakerIn: (line: string, last: Role | undefined) => Speaker | undefined,
  openFences: ReadonlySet<number> = new Set(),
): Transcript {
  const before: string[] = [];
  const messages: { speaker: Speaker; lines: string[] }[] = [];
  let fence: string | undefined;
  let fenceAt = -1;
  for (const [index, line] of lines.entries()) {
    const last = messages.at(-1);
    const speaker = fence === undefined ? speakerIn(line, last?.speaker.role) : undefined;
    const text = speaker === undefined ? line : speaker.text;
    if (speaker !== undefined) messages.push({ speaker, lines: [] });
    if (text === undefined) continue;
    (messages.at(-1)?.lines ?? before).push(text);
    const marker = /^\s*(`{3,}|~{3,})/.exec(text)?.[1];
    if (marker === undefined) continue;
    if (fence !== undefined) {
      if (marker.startsWith(fence)) fence = undefined;
    } else if (!openFences.has(index)) {
      fence = marker;
      fenceAt = index;
    }
  }
  // An answer that was cut off may not close its code block. The block then ends with the message.
  if (fence !== undefined && openFences.size < MAX_OPEN_FENCES) {
    return transcriptOf(lines, speakerIn, new Set([...openFences, fenceAt]));
  }
  const said = messages.map(messageOf).filter(({ content }) => content !== '');
  return { messages: said, before };
}

function messageOf({ speaker, lines }: { speaker: Speaker; lines: readonly string[] }) {
  const { role, model, heading } = speaker;
  const metadata = definedOrNothing({ model, heading });
  const { content, createdAt } =
    speaker.createdAt === undefined
      ? timedText(trimmed(lines))
      : { content: trimmed(lines), createdAt: speaker.createdAt };
  return { role, content, createdAt, ...(metadata && { metadata }) };
}

/** Removes blank lines, and the horizontal rule that many programs write between messages. */
const trimmed = (lines: readonly string[]) =>
  lines
    .join('\n')
    .trim()
    .replace(/\n(?:-{3,}|\*{3,})$/, '')
    .trim();

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
