/**
 * Removes secrets and private parts from messages (their content and the texts of their metadata) and from
 * all other texts before they are stored. Each is replaced by a mark with its kind, so that the rest of the
 * text stays readable.
 */

import { isRecord, type JsonObject } from '../base/json-fields.js';
import { countOf } from '../base/text/display-text.js';
import type { Masker } from '../stores/conversations/writing/mask-queue.js';
import type { TextMasker } from '../stores/text-masker.js';
import { mayBePrivate, withoutPrivateParts } from './private-parts.js';
import { mayHoldSecret, secretsIn } from './secrets.js';

export interface MaskerOptions {
  /** If false, secrets are not masked. Private parts are always removed. */
  readonly masksSecrets: boolean;
}

const PRIVATE = 'private part';

export class SecretMasker implements Masker, TextMasker {
  readonly #masksSecrets: boolean;

  constructor({ masksSecrets }: MaskerOptions) {
    this.#masksSecrets = masksSecrets;
  }

  isClean(messages: readonly { content: string; metadata?: JsonObject | undefined }[]): boolean {
    return messages.every(
      ({ content, metadata }) =>
        this.#isCleanText(content) && (metadata === undefined || this.isCleanValue(metadata)),
    );
  }

  isCleanValue(value: unknown): boolean {
    if (typeof value === 'string') return this.#isCleanText(value);
    return allTextsIn(value).every((text) => this.#isCleanText(text));
  }

  #isCleanText(text: string): boolean {
    return !mayBePrivate(text) && !(this.#masksSecrets && mayHoldSecret(text));
  }

  async maskValue<T>(value: T): Promise<{ value: T; masked: readonly string[] }> {
    const masked: string[] = [];
    return { value: (await this.#value(value, masked)) as T, masked };
  }

  async mask<T extends { readonly content: string; readonly metadata?: JsonObject | undefined }>(
    messages: readonly T[],
  ): Promise<{ messages: readonly T[]; masked: readonly string[] }> {
    if (this.isClean(messages)) return { messages, masked: [] };
    const each = messages.map((message) =>
      this.isClean([message]) ? { message, masked: [] } : this.#message(message),
    );
    const checked = await Promise.all(each); // at once, so that they are checked together
    return {
      messages: checked.map(({ message }) => message),
      masked: checked.flatMap(({ masked }) => masked),
    };
  }

  async #message<
    T extends { readonly content: string; readonly metadata?: JsonObject | undefined },
  >(message: T): Promise<{ message: T; masked: readonly string[] }> {
    const masked: string[] = [];
    const content = await this.text(message.content, masked);
    const { metadata } = message;
    const clean = metadata && ((await this.#value(metadata, masked)) as JsonObject);
    const isSame = content === message.content && clean === metadata;
    const changed = { ...message, content, ...(clean && { metadata: clean }) };
    return { message: isSame ? message : changed, masked };
  }

  /** Returns the text with marks, and adds the kind of each removed part to `masked`. */
  async text(given: string, masked: string[]): Promise<string> {
    const { text, parts } = mayBePrivate(given)
      ? withoutPrivateParts(given)
      : { text: given, parts: 0 };
    for (let part = 0; part < parts; part += 1) masked.push(PRIVATE);
    if (!this.#masksSecrets) return text;
    const pieces: string[] = [];
    let from = 0;
    for (const { kind, start, end } of await secretsIn(text)) {
      pieces.push(text.slice(from, start), `[masked ${kind}]`);
      masked.push(kind);
      from = end;
    }
    return pieces.join('') + text.slice(from);
  }

  /**
   * Returns the same object if nothing was found. One check of all texts together is enough for most values.
   */
  async #value(value: unknown, masked: string[]): Promise<unknown> {
    const found: string[] = [];
    await this.text(allTextsIn(value).join('\n'), found);
    return found.length === 0 ? value : this.#each(value, masked);
  }

  async #each(value: unknown, masked: string[]): Promise<unknown> {
    if (typeof value === 'string') return this.text(value, masked);
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await this.#each(item, masked));
      return items;
    }
    if (!isRecord(value)) return value;
    const entries: [string, unknown][] = [];
    for (const [key, field] of Object.entries(value)) {
      entries.push([key, await this.#each(field, masked)]);
    }
    return Object.fromEntries(entries);
  }
}

/**
 * Returns all texts of a JSON value; `withNames`: also the names of its fields. It is not recursive, because
 * metadata may be nested deeply. Values are added one by one, because the arguments of one `push` are on the
 * stack, and a long list would overflow it.
 */
export function allTextsIn(value: unknown, { withNames = false } = {}): string[] {
  const texts: string[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'object' && next !== null) {
      for (const each of Object.values(next)) waiting.push(each);
      if (withNames && isRecord(next)) for (const name of Object.keys(next)) texts.push(name);
    }
  }
  return texts;
}

const MARK = /\[masked (\w+)\]|\[private part left out\]/g;

/** Returns the kinds of the removed parts: of the marks that are in `stored` and not in `given`. */
export function maskedBetween(given: unknown, stored: unknown): string[] {
  const marksOf = (value: unknown) =>
    allTextsIn(value).flatMap((text) =>
      [...text.matchAll(MARK)].map(([, kind]) => kind ?? PRIVATE),
    );
  const before = marksOf(given);
  return marksOf(stored).filter((kind) => {
    const at = before.indexOf(kind);
    if (at !== -1) before.splice(at, 1);
    return at === -1;
  });
}

/** Returns a sentence for the answer of a call that stored messages; `undefined` if nothing was removed. */
export function maskedNote(masked: readonly string[]): string | undefined {
  if (masked.length === 0) return undefined;
  const kinds = [...new Set(masked)].join(', ');
  return `Not stored: ${countOf(masked.length, 'part')} (${kinds}). A mark replaces each of them.${adviceFor(masked)}`;
}

/** The setting has no effect on private parts. */
const adviceFor = (masked: readonly string[]): string =>
  masked.every((kind) => kind === PRIVATE)
    ? ''
    : ' Leave secrets out of the text, and name the place where they are kept. Only if Daybook must store them, set DAYBOOK_SECRETS=keep and save the text again.';
