/**
 * The speakers of a transcript in Markdown or plain text, each with a heading or a name, such as `## User`,
 * `## Assistant (gpt-4)`, `**You:**` or `User: text`. The text may follow a name on its line. A text with fewer
 * than two speakers is no transcript.
 */
import { definedOrNothing } from '../../../base/json-fields.js';
import type { Role } from '../../../stores/conversations/document/schema.js';
import type { ImportedMessage } from '../../source-interface.js';
import { roleIn } from './roles.js';
import { type SpeakerHeading, speakerHeading, timedText } from './speaker-heading.js';
import { timeIn } from './times.js';

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
/** Each open code block costs one more pass over the text. */
const MAX_OPEN_FENCES = 20;

export interface Transcript {
  readonly messages: ImportedMessage[];
  /** What the headings of speakers begin with, if they name models or times. */
  readonly marker?: string | undefined;
  /** The lines before the first speaker. */
  readonly before: readonly string[];
}

/** Whether the text has at least two speakers. */
export const isTranscript = (text: string): boolean => rolesOf(transcriptIn(text)).size > 1;

const rolesOf = ({ messages }: Transcript): ReadonlySet<Role> =>
  new Set(messages.map(({ role }) => role));

interface Speaker extends Partial<Omit<SpeakerHeading, 'role'>> {
  readonly role: Role;
  /** The text that follows the name on its line. */
  readonly text?: string | undefined;
}

export function transcriptIn(text: string): Transcript {
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
export const trimmed = (lines: readonly string[]) =>
  lines
    .join('\n')
    .trim()
    .replace(/\n(?:-{3,}|\*{3,})$/, '')
    .trim();
