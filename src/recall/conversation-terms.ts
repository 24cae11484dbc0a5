/**
 * One conversation as recall indexes it: the term IDs of all its messages, and where messages and passages
 * begin. It is immutable: an appended message makes a new object with new arrays. It uses four bytes a
 * word, so that a million messages fit into memory.
 */
import {
  appendMessage,
  appendPassages,
  isLong,
  Labels,
  type MessageSource,
  type MessageSources,
  readInSteps,
  type StemLists,
} from './message-text.js';
import type { Vocabulary } from './vocabulary.js';

/** The first speaker numbers of a conversation are its roles; the next are its people. */
const ROLES = ['system', 'user', 'assistant'];
/** The speaker number of the role `system`. */
export const SYSTEM_SPEAKER = ROLES.indexOf('system');
/** Further speakers share this number. */
const MAX_SPEAKERS = 255;

/** All arrays are in the order of the messages. */
export interface ConversationArrays {
  /** Term IDs. */
  readonly terms: Uint32Array;
  /** Of message m: `starts[m]` to `starts[m + 1]`; the first `prefixes[m]` are speaker and date. */
  readonly starts: Uint32Array;
  readonly prefixes: Uint8Array;
  /** Flags of message-text.ts. */
  readonly flags: Uint8Array;
  /** Indexes in LANGUAGES. */
  readonly languages: Uint8Array;
  readonly speakers: Uint8Array;
  /** Epoch milliseconds. */
  readonly times: Float64Array;
  /** Message m has the passages `firstPassages[m]` up to `firstPassages[m + 1]`. */
  readonly firstPassages: Uint32Array;
  /** By passage: index of its first term, and of the term after its last. */
  readonly passages: Uint32Array;
}

export interface ConversationTerms extends ConversationArrays {
  /** Names of people who speak, in lower case; `people[0]` has the speaker number `ROLES.length`. */
  readonly people: readonly string[];
}

export const messagesIn = ({ flags }: ConversationArrays): number => flags.length;
export const passagesIn = ({ passages }: ConversationArrays): number => passages.length / 2;

/** Index of the first term of a message's content, behind those of its speaker and date. */
export const contentStart = ({ starts, prefixes }: ConversationArrays, message: number): number =>
  (starts[message] ?? 0) + (prefixes[message] ?? 0);

export const contentTerms = (conversation: ConversationArrays, message: number): Uint32Array =>
  conversation.terms.subarray(
    contentStart(conversation, message),
    conversation.starts[message + 1] ?? 0,
  );

/** Name of the person who wrote a message, if known. */
export function speakerName(conversation: ConversationTerms, message: number): string | undefined {
  return conversation.people[(conversation.speakers[message] ?? 0) - ROLES.length];
}

/**
 * Indexes `messages`. The first `unchanged` of them are those of `known` and are copied from it. Yields
 * after each message, and within a long message; until it returns, nothing else may use the vocabulary's
 * reader or lists.
 */
export function* readConversation(
  messages: MessageSources,
  vocabulary: Vocabulary,
  known: ConversationTerms | undefined,
  unchanged: number,
): Generator<undefined, ConversationTerms> {
  const reused = known === undefined ? 0 : Math.min(unchanged, messagesIn(known), messages.length);
  const people = known === undefined ? [] : peopleOfFirst(known, reused);
  const result = emptyArrays(messages.length);
  const { lists } = vocabulary;
  lists.terms.clear();
  lists.passages.clear();
  const labels = new Labels();
  if (known !== undefined && reused > 0) copyFirst(known, reused, result, lists);
  let language = reused > 0 ? (known?.languages[reused - 1] ?? 0) : 0;
  for (let at = reused; at < messages.length; at++) {
    const source = messages.at(at);
    if (source === undefined) continue;
    vocabulary.reader.clear();
    if (isLong(source)) yield* readInSteps(source, vocabulary);
    else vocabulary.reader.add(source.content);
    const read = appendMessage(source, vocabulary, language, lists, labels);
    if (!read.hasOnePassage) yield* appendPassages(read, vocabulary, lists);
    language = read.language;
    result.prefixes[at] = read.prefix;
    result.flags[at] = read.flags;
    result.languages[at] = language;
    result.speakers[at] = speakerNumber(source, people);
    result.times[at] = source.time;
    result.starts[at + 1] = lists.terms.count;
    result.firstPassages[at + 1] = lists.passages.count / 2;
    yield;
  }
  const { terms, passages } = lists;
  return {
    ...result,
    terms: terms.array.slice(0, terms.count),
    passages: passages.array.slice(0, passages.count),
    people,
  };
}

/** The people of the first `count` messages. Their numbers are in the order of their first messages. */
function peopleOfFirst({ people, speakers }: ConversationTerms, count: number): string[] {
  if (people.length === 0) return [];
  const last = speakers.subarray(0, count).reduce((most, speaker) => Math.max(most, speaker), 0);
  return people.slice(0, Math.max(0, last - ROLES.length + 1));
}

/** The arrays with one number a message. */
function emptyArrays(count: number): Omit<ConversationArrays, keyof StemLists> {
  return {
    starts: new Uint32Array(count + 1),
    firstPassages: new Uint32Array(count + 1),
    prefixes: new Uint8Array(count),
    flags: new Uint8Array(count),
    languages: new Uint8Array(count),
    speakers: new Uint8Array(count),
    times: new Float64Array(count),
  };
}

/** Copies the first `count` messages of `known`. */
function copyFirst(
  known: ConversationArrays,
  count: number,
  result: Omit<ConversationArrays, keyof StemLists>,
  { terms, passages }: StemLists,
): void {
  result.starts.set(known.starts.subarray(0, count + 1));
  result.firstPassages.set(known.firstPassages.subarray(0, count + 1));
  result.prefixes.set(known.prefixes.subarray(0, count));
  result.flags.set(known.flags.subarray(0, count));
  result.languages.set(known.languages.subarray(0, count));
  result.speakers.set(known.speakers.subarray(0, count));
  result.times.set(known.times.subarray(0, count));
  terms.append(known.terms.subarray(0, known.starts[count]));
  passages.append(known.passages.subarray(0, 2 * (known.firstPassages[count] ?? 0)));
}

function speakerNumber({ role, speaker }: MessageSource, people: string[]): number {
  const ofRole = Math.max(0, ROLES.indexOf(role));
  if (speaker === undefined) return ofRole;
  const name = speaker.toLowerCase();
  let at = people.indexOf(name);
  if (at < 0 && people.length + ROLES.length >= MAX_SPEAKERS) return ofRole;
  if (at < 0) at = people.push(name) - 1;
  return at + ROLES.length;
}
