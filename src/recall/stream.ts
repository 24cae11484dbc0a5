/**
 * One conversation as recall holds it: the stems of all its messages one after another, and where
 * messages and passages begin. Never changed: an appended message makes a new one that shares nothing
 * but the numbers. Four bytes a word, so a store of a million messages stays in memory.
 */
import { Labels, type MessageSource, readMessage, type StemLists } from './message-text.js';
import type { Vocabulary } from './vocabulary.js';

/** Roles have the first numbers among the speakers of a conversation, people those after. */
const ROLES = ['system', 'user', 'assistant'];
/** Speakers beyond this number share one number. */
const MAX_SPEAKERS = 255;

/** All arrays in the order of the messages. */
export interface StreamArrays {
  /** Numbers of stems. */
  readonly terms: Uint32Array;
  /** Message m has the terms `starts[m]` up to `starts[m + 1]`; the first `prefixes[m]` say who and when. */
  readonly starts: Uint32Array;
  readonly prefixes: Uint8Array;
  /** See message-text.ts. */
  readonly flags: Uint8Array;
  /** Places in LANGUAGES. */
  readonly languages: Uint8Array;
  readonly speakers: Uint8Array;
  /** Epoch milliseconds. */
  readonly times: Float64Array;
  /** Message m has the passages `firstPassages[m]` up to `firstPassages[m + 1]`. */
  readonly firstPassages: Uint32Array;
  /** Of each passage, the places of its first term and of the one behind its last. */
  readonly passages: Uint32Array;
}

export interface Stream extends StreamArrays {
  /** Names of the people among the speakers, in lower case; the first has the number `ROLES.length`. */
  readonly people: readonly string[];
}

export const messagesIn = ({ flags }: StreamArrays): number => flags.length;
export const passagesIn = ({ passages }: StreamArrays): number => passages.length / 2;

/** The name of the speaker of a message, if it has one. */
export function speakerName(stream: Stream, message: number): string | undefined {
  return stream.people[(stream.speakers[message] ?? 0) - ROLES.length];
}

/**
 * The stream of `messages`, of which the first `unchanged` are those of `known`: they are not read again.
 * Pauses after each message, and within one that is long; until the end nothing else may use the
 * vocabulary's reader or lists.
 */
export function* readStream(
  messages: readonly MessageSource[],
  vocabulary: Vocabulary,
  known: Stream | undefined,
  unchanged: number,
): Generator<undefined, Stream> {
  const reused = known === undefined ? 0 : Math.min(unchanged, messagesIn(known), messages.length);
  const people = [...(known?.people ?? [])];
  const made = emptyArrays(messages.length);
  const { lists } = vocabulary;
  lists.terms.clear();
  lists.passages.clear();
  const labels = new Labels();
  if (known !== undefined && reused > 0) copyFirst(known, reused, made, lists);
  let language = reused > 0 ? (known?.languages[reused - 1] ?? 0) : 0;
  for (let at = reused; at < messages.length; at++) {
    const source = messages[at];
    if (source === undefined) continue;
    const read = yield* readMessage(source, vocabulary, language, lists, labels);
    language = read.language;
    made.prefixes[at] = read.prefix;
    made.flags[at] = read.flags;
    made.languages[at] = language;
    made.speakers[at] = speakerNumber(source, people);
    made.times[at] = source.time;
    made.starts[at + 1] = lists.terms.count;
    made.firstPassages[at + 1] = lists.passages.count / 2;
    yield;
  }
  const { terms, passages } = lists;
  return {
    ...made,
    terms: terms.array.slice(0, terms.count),
    passages: passages.array.slice(0, passages.count),
    people,
  };
}

/** What has one number a message. */
function emptyArrays(count: number): Omit<StreamArrays, keyof StemLists> {
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

/** The arrays of `known` as they were after its first `count` messages. */
function copyFirst(
  known: StreamArrays,
  count: number,
  made: Omit<StreamArrays, keyof StemLists>,
  { terms, passages }: StemLists,
): void {
  made.starts.set(known.starts.subarray(0, count + 1));
  made.firstPassages.set(known.firstPassages.subarray(0, count + 1));
  made.prefixes.set(known.prefixes.subarray(0, count));
  made.flags.set(known.flags.subarray(0, count));
  made.languages.set(known.languages.subarray(0, count));
  made.speakers.set(known.speakers.subarray(0, count));
  made.times.set(known.times.subarray(0, count));
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
