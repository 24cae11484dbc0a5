/**
 * One conversation as recall holds it: the stems of all its messages one after another, and where
 * messages and passages begin. Never changed: an appended message makes a new one that shares nothing
 * but the numbers. Four bytes a word, so a store of a million messages stays in memory.
 */
import { type MessageSource, type ReadMessage, readMessage } from './message-text.js';
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

/** The name of who speaks in a message, where it has one. */
export function speakerName(stream: Stream, message: number): string | undefined {
  return stream.people[(stream.speakers[message] ?? 0) - ROLES.length];
}

/**
 * The stream of `messages`, of which the first `unchanged` are those of `known`: they are not read again.
 * Pauses after each message, and within one that is long.
 */
export function* readStream(
  messages: readonly MessageSource[],
  vocabulary: Vocabulary,
  known: Stream | undefined,
  unchanged: number,
): Generator<undefined, Stream> {
  const reused = known === undefined ? 0 : Math.min(unchanged, messagesIn(known), messages.length);
  const people = [...(known?.people ?? [])];
  const read: { message: ReadMessage; speaker: number; time: number }[] = [];
  let language = reused > 0 ? (known?.languages[reused - 1] ?? 0) : 0;
  for (const source of messages.slice(reused)) {
    const message = yield* readMessage(source, vocabulary, language);
    language = message.language;
    read.push({ message, speaker: speakerNumber(source, people), time: source.time });
    yield;
  }
  const old = known === undefined || reused === 0 ? undefined : firstMessages(known, reused);
  const { terms, starts, passages, firstPassages } = layOut(read, old);
  const joined = <T extends Uint8Array | Float64Array>(
    before: T | undefined,
    made: T,
    values: readonly number[],
  ): T => {
    if (before !== undefined) made.set(before);
    made.set(values, reused);
    return made;
  };
  const bytes = (before: Uint8Array | undefined, values: readonly number[]) =>
    joined(before, new Uint8Array(messages.length), values);
  return {
    ...{ terms, starts, passages, firstPassages, people },
    prefixes: bytes(
      old?.prefixes,
      read.map(({ message }) => message.prefix),
    ),
    flags: bytes(
      old?.flags,
      read.map(({ message }) => message.flags),
    ),
    languages: bytes(
      old?.languages,
      read.map(({ message }) => message.language),
    ),
    speakers: bytes(
      old?.speakers,
      read.map(({ speaker }) => speaker),
    ),
    times: joined(
      old?.times,
      new Float64Array(messages.length),
      read.map(({ time }) => time),
    ),
  };
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

/** The arrays as they were after the first `count` messages. */
function firstMessages(stream: StreamArrays, count: number): StreamArrays {
  const terms = stream.terms.subarray(0, stream.starts[count]);
  const passages = stream.passages.subarray(0, 2 * (stream.firstPassages[count] ?? 0));
  return {
    ...{ terms, passages },
    starts: stream.starts.subarray(0, count + 1),
    firstPassages: stream.firstPassages.subarray(0, count + 1),
    prefixes: stream.prefixes.subarray(0, count),
    flags: stream.flags.subarray(0, count),
    languages: stream.languages.subarray(0, count),
    speakers: stream.speakers.subarray(0, count),
    times: stream.times.subarray(0, count),
  };
}

/** Terms, messages and passages of what was read, behind what there was. */
function layOut(read: readonly { message: ReadMessage }[], old: StreamArrays | undefined) {
  const oldTerms = old?.terms.length ?? 0;
  const oldMessages = old?.flags.length ?? 0;
  const oldPassages = old?.passages.length ?? 0;
  const sum = (count: (message: ReadMessage) => number) =>
    read.reduce((total, { message }) => total + count(message), 0);
  const terms = new Uint32Array(oldTerms + sum((message) => message.terms.length));
  const passages = new Uint32Array(oldPassages + sum((message) => message.passages.length));
  const starts = new Uint32Array(oldMessages + read.length + 1);
  const firstPassages = new Uint32Array(starts.length);
  if (old !== undefined) {
    terms.set(old.terms);
    passages.set(old.passages);
    starts.set(old.starts);
    firstPassages.set(old.firstPassages);
  }
  let term = oldTerms;
  let passage = oldPassages;
  read.forEach(({ message }, at) => {
    terms.set(message.terms, term);
    for (const position of message.passages) passages[passage++] = term + position;
    term += message.terms.length;
    starts[oldMessages + at + 1] = term;
    firstPassages[oldMessages + at + 1] = passage / 2;
  });
  return { terms, passages, starts, firstPassages };
}
