/**
 * What is counted of one message: words, tokens, and what its metadata says of model, tokens and cost.
 * Metadata comes from many programs, so a value of another shape counts as absent.
 */
import { isRecord } from '../base/is-record.js';
import { estimateTextTokens } from '../base/tokens.js';
import type { JsonObject, Message, Role } from '../stores/conversations/document/schema.js';

export interface MessageFigures {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly role: Role;
  readonly words: number;
  /** Estimated from the text. */
  readonly tokens: number;
  /** As the service counted them: question, sources and answer. */
  readonly billedTokens?: number;
  readonly model?: string;
  readonly cost?: { readonly currency: string; readonly total: number };
}

/** A character of a script that writes no spaces, or a run of other letters and digits. */
const WORD = wordPattern();
const LONGEST_NAME = 80;

export function figuresOf({ role, content, createdAt, metadata = {} }: Message): MessageFigures {
  const { usage, model } = metadata;
  const billed = isRecord(usage) ? amountOf(usage['totalTokens']) : undefined;
  const cost = costOf(metadata);
  const name = nameOf(model);
  return {
    ...{ time: Date.parse(createdAt), role, words: wordsIn(content) },
    tokens: estimateTextTokens(content),
    ...(billed !== undefined && { billedTokens: billed }),
    ...(name !== undefined && { model: name }),
    ...(cost !== undefined && { cost }),
  };
}

/** What one answer has cost, as its metadata says. */
export function costOf({ cost }: JsonObject = {}): MessageFigures['cost'] {
  const total = isRecord(cost) ? amountOf(cost['total']) : undefined;
  const currency = isRecord(cost) ? nameOf(cost['currency']) : undefined;
  return total === undefined ? undefined : { currency: currency ?? 'USD', total };
}

function wordsIn(content: string): number {
  let count = 0;
  WORD.lastIndex = 0;
  while (WORD.test(content)) count += 1; // half the cost of matchAll, which cuts each word out
  return count;
}

const amountOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_NAME) : undefined;

function wordPattern(): RegExp {
  const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
  return new RegExp(
    String.raw`${unspaced}|(?!${unspaced})[\p{L}\p{N}](?:(?!${unspaced})[\p{L}\p{M}\p{N}'’])*`,
    'gu',
  );
}
