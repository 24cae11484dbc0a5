/**
 * The figures of one message: words, tokens, and the model, tokens and cost in its metadata. Many programs
 * write metadata, so a value of an unexpected type counts as absent.
 */

import { isRecord } from '../base/json-fields.js';
import { estimateTextTokens } from '../base/text/estimate-tokens.js';
import {
  amountOf,
  type Cost,
  costOf,
  nameOf,
} from '../stores/conversations/document/message-cost.js';
import type { Message, Role } from '../stores/conversations/document/schema.js';

export interface MessageFigures {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly role: Role;
  readonly words: number;
  /** Estimated from the text. */
  readonly tokens: number;
  /** Tokens that the service has billed: question, sources and answer. */
  readonly billedTokens?: number;
  readonly model?: string;
  readonly cost?: Cost;
}

/** One character of a script without spaces, or a run of other letters and digits. */
const WORD = wordPattern();

export function figuresOf({ role, content, createdAt, metadata = {} }: Message): MessageFigures {
  const { usage, model } = metadata;
  const billed = isRecord(usage) ? amountOf(usage['totalTokens']) : undefined;
  const cost = costOf(metadata);
  const name = nameOf(model);
  return {
    time: Date.parse(createdAt),
    role,
    words: wordsIn(content),
    tokens: estimateTextTokens(content),
    ...(billed !== undefined && Number.isInteger(billed) && { billedTokens: billed }),
    ...(name !== undefined && { model: name }),
    ...(cost !== undefined && { cost }),
  };
}

function wordsIn(content: string): number {
  let count = 0;
  WORD.lastIndex = 0;
  while (WORD.test(content)) count += 1; // half the cost of matchAll, which creates a string for each word
  return count;
}

function wordPattern(): RegExp {
  const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
  return new RegExp(
    String.raw`${unspaced}|(?!${unspaced})[\p{L}\p{N}](?:(?!${unspaced})[\p{L}\p{M}\p{N}'\u2019])*`,
    'gu',
  );
}
