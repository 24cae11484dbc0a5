/**
 * Headings that name a speaker together with a model or a time, as programs write them into Markdown
 * transcripts: `## Assistant (gpt-4)`, `**ChatGPT 4o:**`, `_**User (2026-01-16 22:18:20Z)**_`. Headings in
 * the text of a message may look similar, so a heading with anything else in it is none of these.
 */
import type { Role } from '../../../stores/conversations/document/schema.js';
import { roleIn } from './roles.js';
import { timeIn } from './times.js';

export interface SpeakerHeading {
  readonly role: Role;
  /** `##`, `**` and so on. All headings of a transcript have the same one. */
  readonly marker: string;
  readonly model?: string | undefined;
  readonly createdAt?: string | undefined;
  /** The text of the heading, if its time cannot be read. */
  readonly heading?: string | undefined;
}

const MAX_LENGTH = 200;
/** As in `Gemini 2.5 Flash Lite`. */
const MAX_VERSION_WORDS = 4;
const MARKED = /^(#{1,6}) +(.+)$/;
const BOLD = /^(_?\*{2,3})(?=\S)(.+\*\*.*)$/;
/** Names of assistants; those of roles.ts are more. */
const ASSISTANTS =
  /^(github copilot|copilot|agent|cursor|grok|deepseek|perplexity|mistral|le chat|llama|qwen|kimi|meta ai)\b/i;
const FAMILY =
  /gpt|claude|sonnet|opus|haiku|gemini|gemma|llama|mi[sx]tral|codestral|qwen|deepseek|grok|sonar|kimi|glm|codex|copilot|phi-?\d|command-?r|composer|\bo\d\b|\bauto\b/i;
const VERSION =
  /^(v?\d[\w.]*|o\d[\w-]*|r\d|mini|nano|pro|plus|turbo|preview|flash|lite|ultra|opus|sonnet|haiku|instant|thinking|max|code|codex|exp|latest|deep|research)$/i;
/** An id such as `llama3.2:latest` or `acme/model-7b`. */
const MODEL_ID = /^(?=.*\d)(?=.*[-:/.])[A-Za-z]{2}[\w.:/@+-]*$/;
const CLOCK = String.raw`\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AP]M)?`;
const ZONE = String.raw` ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)`;
const DATE = String.raw`(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4}|[A-Z][a-z]{2,8}\.? \d\d?,? \d{4}|\d\d? [A-Z][a-z]{2,8}\.? \d{4})`;
/** Not a part of a model's name, such as `gpt-4o-2024-08-06`. */
const TIME = new RegExp(
  `(?<![\\w./-])(?:${DATE}(?:[T,]? ?(?:at )?${CLOCK}(?:${ZONE})?)?|${CLOCK})(?![\\w/-])`,
  'i',
);
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f/gu;

/** `undefined` if the line is no heading of a speaker. */
export function speakerHeading(line: string): SpeakerHeading | undefined {
  if (line.length > MAX_LENGTH) return undefined;
  const [, marker, text] = MARKED.exec(line.trim()) ?? BOLD.exec(line.trim()) ?? [];
  if (marker === undefined || text === undefined) return undefined;
  const plain = text
    .replaceAll(EMOJI, ' ')
    .replaceAll(/<\/?span[^<>]*>/g, ' ')
    .replaceAll(/_?\*{2,3}_?|^\s*message from /gi, '')
    .replace(/:?\s*$/, '')
    .replace(/^\s*role::/, '')
    .trim();
  const named = withoutName(plain);
  const notes = named && notesIn(named.rest);
  if (named === undefined || notes === undefined) return undefined;
  const { time, ...found } = notes;
  if (named.role !== 'assistant' && found.model !== undefined) return undefined;
  const createdAt = time === undefined ? undefined : readTime(time);
  return {
    marker,
    // What an agent tells a subagent is not said by the user.
    role: found.isSidechain ? 'assistant' : named.role,
    model: found.model ?? named.model,
    createdAt,
    ...(time !== undefined && createdAt === undefined && { heading: plain }),
  };
}

/** The speaker at the beginning of the text, and what follows. */
function withoutName(
  text: string,
): { role: Role; model?: string | undefined; rest: string } | undefined {
  const name = ASSISTANTS.exec(text)?.[0] ?? /^[A-Za-z]+/.exec(text)?.[0];
  const role = name !== undefined && ASSISTANTS.test(name) ? 'assistant' : roleIn(name);
  if (name === undefined || role === undefined) return undefined;
  let end = name.length;
  for (let count = 0; count < MAX_VERSION_WORDS; count += 1) {
    const next = wordAt(text, end);
    if (next === undefined || !VERSION.test(next.word)) break;
    end = next.end;
  }
  const rest = text.slice(end).replace(/^:| said$/, '');
  if (end === name.length) return { role, rest };
  return role === 'assistant' && FAMILY.test(name)
    ? { role, model: text.slice(0, end), rest }
    : undefined;
}

function wordAt(text: string, at: number): { word: string; end: number } | undefined {
  const found = /^[ -]([\w.-]+)/.exec(text.slice(at, at + 40));
  return found === null ? undefined : { word: found[1] ?? '', end: at + found[0].length };
}

interface Notes {
  readonly model?: string | undefined;
  readonly time?: string | undefined;
  readonly isSidechain: boolean;
}

/** The text after a name, in brackets or after a dash; `undefined` if it is no model and no time. */
function notesIn(given: string): Notes | undefined {
  if (given.trim() === '') return { isSidechain: false };
  if (!/^\s*[([{|·•@,–—-]/.test(given)) return undefined;
  const time = TIME.exec(given)?.[0].trim();
  const others = (time === undefined ? given : given.replace(time, ' '))
    .split(/[()[\]{}|·•,]|(?:^|\s)[–—@-](?=\s|$)/)
    .map((part) => part.trim().replace(/^(?:model|using|via)[: ]+/i, ''))
    // Cursor's `mode Agent` says how the program was used.
    .filter((part) => part !== '' && !/^mode [A-Za-z]+$/.test(part));
  const isSidechain = others.includes('sidechain');
  const models = others.filter((part) => part !== 'sidechain');
  const [model] = models;
  if (models.length > 1 || (model !== undefined && !isModel(model))) return undefined;
  return { model, time, isSidechain };
}

const isModel = (text: string): boolean =>
  text.length <= 80 &&
  (MODEL_ID.test(text) ||
    (FAMILY.test(text) &&
      text.split(' ').length <= 5 &&
      text.split(' ').every((word) => FAMILY.test(word) || VERSION.test(word))));

/** Two programs write the time of a message at the beginning or the end of its text, on a line of its own. */
const FIRST_LINE = /^<time datetime="([^"<>]{10,40})"[^<>]*>[^<>]*<\/time>$/;
const LAST_LINE = /^\[Timestamp: ([^\]]{10,40})\]$/;

/** The time on the first or the last line of the text, and the text without it. */
export function timedText(text: string): { content: string; createdAt?: string | undefined } {
  const [first = '', ...others] = text.split('\n');
  const last = others.at(-1) ?? '';
  const [given] = [FIRST_LINE.exec(first)?.[1], LAST_LINE.exec(last)?.[1]].filter(
    (found) => found !== undefined,
  );
  const createdAt = given === undefined ? undefined : readTime(given);
  if (createdAt === undefined) return { content: text };
  const rest = FIRST_LINE.test(first) ? others : [first, ...others.slice(0, -1)];
  return { content: rest.join('\n').trim(), createdAt };
}

/** A date such as `5/1/2024` does not show which number is the month, so it cannot be read. */
function readTime(time: string): string | undefined {
  if (!/^\d{4}|[A-Za-z]{3}/.test(time)) return undefined;
  const date = time.replace(/^(\d{4})[/.](\d\d?)[/.](\d\d?)/, (_all, year, month, day) =>
    [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
  );
  return timeIn(date.replace(/,? at /, ' ').replace(/(\d), (\d\d?:)/, '$1 $2'));
}
