/** Sums up the costs in the metadata of answers. Values of another shape are ignored. */
import { isRecord, type JsonObject } from '../../../base/json-fields.js';
import type { Message } from './schema.js';

export interface Cost {
  readonly currency: string;
  readonly total: number;
}

/** The sum of all answers that were paid in one currency. */
export interface CostSum extends Cost {
  readonly answers: number;
}

const LONGEST_NAME = 80;
/** No answer costs more. Without this limit, sums could be too large for a report. */
const MAX_AMOUNT = 1e9;

/** Returns the cost of one answer. */
export function costOf({ cost }: JsonObject = {}): Cost | undefined {
  const total = isRecord(cost) ? amountOf(cost['total']) : undefined;
  const currency = isRecord(cost) ? nameOf(cost['currency']) : undefined;
  return total === undefined ? undefined : { currency: currency ?? 'USD', total };
}

/** Returns the costs of a whole conversation, by currency. */
export function costsOf(messages: Iterable<Message>): CostSum[] {
  const sums = new Map<string, { total: number; answers: number }>();
  for (const { metadata } of messages) {
    const cost = costOf(metadata);
    if (cost === undefined) continue;
    const { total, answers } = sums.get(cost.currency) ?? { total: 0, answers: 0 };
    sums.set(cost.currency, { total: total + cost.total, answers: answers + 1 });
  }
  return [...sums].map(([currency, { total, answers }]) => ({
    currency,
    answers,
    total: Number(total.toFixed(6)),
  }));
}

/** A cost from 0 to 1e9; `undefined` for any other value. */
export const amountOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= MAX_AMOUNT ? value : undefined;

export const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_NAME) : undefined;
