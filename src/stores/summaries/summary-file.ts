/**
 * The format of `summaries.json` (docs/FORMAT.md): one summary for each level. Reading is lenient, because
 * people edit the file: a summary without a text counts as absent, a wrong number as 0, and unknown fields
 * are kept. No I/O.
 */

import { timeOfText } from '../../base/clock.js';
import { AppError, ERROR_KINDS, type ErrorCode } from '../../base/errors.js';
import { sha256Stream } from '../../base/ids.js';
import {
  isRecord,
  type JsonObject,
  numberFrom,
  objectIn,
  objectsIn,
} from '../../base/json-fields.js';
import { estimateTextTokens } from '../../base/text/estimate-tokens.js';
import type { SourceLocation } from '../conversations/document/parse-fields.js';
import type { Message } from '../conversations/document/schema.js';
import { upgraded, versionOf } from '../format-migrations.js';
import { requireDepthToRead } from '../json-depth.js';

export const SUMMARY_LEVELS = ['brief', 'standard', 'detailed'] as const;
export type SummaryLevel = (typeof SUMMARY_LEVELS)[number];

export interface StoredSummary {
  readonly text: string;
  /** `extractive`, or the name of the provider whose model wrote it. */
  readonly provider: string;
  readonly model?: string;
  /** The number of summarized messages, without system messages. */
  readonly messageCount: number;
  readonly startMessageId?: string;
  readonly endMessageId?: string;
  /** The result of `sourceHashOf` for the summarized messages. */
  readonly sourceHash: string;
  /** From 0 to 1 (docs/CONTEXT.md). */
  readonly qualityScore: number;
  /** ISO 8601. */
  readonly generatedAt: string;
}

/** A summary with the estimated number of tokens of its present text, also after an edit by hand. */
export interface Summary extends StoredSummary {
  readonly level: SummaryLevel;
  readonly tokenCount: number;
}

/** A request to a model that failed although it may have been paid for. */
export interface PaidFailure {
  readonly level: SummaryLevel;
  /** The name of the provider. */
  readonly provider: string;
  /** SHA-256 of what decides about the answer: the settings of the provider and the summarized messages. */
  readonly request: string;
  readonly code: ErrorCode;
  /** ISO 8601. */
  readonly failedAt: string;
}

export type Summaries = { readonly [level in SummaryLevel]?: Summary };

/** Returns the SHA-256, in lower-case hexadecimal, of the messages in order, without system messages. */
export function sourceHashOf(messages: readonly Message[]): string {
  const hash = sha256Stream();
  for (const { id, role, content } of messages) {
    if (role !== 'system') hash.update(Buffer.from(`${JSON.stringify([id, role, content])}\n`));
  }
  return hash.hex();
}

/** Returns the summaries in the parsed file. FORMAT_TOO_NEW, CORRUPT. */
export function readSummaries(file: unknown, at: SourceLocation): Summaries {
  const levels = levelsIn(requireReadable(file, at.path));
  const found = SUMMARY_LEVELS.flatMap((level) => {
    const summary = summaryOf(levels[level], level);
    if (summary === undefined) return [];
    const tokenCount = estimateTextTokens(summary.text);
    return [[level, { ...summary, tokenCount }] as const];
  });
  return Object.fromEntries(found);
}

/** The whole file with this summary at its level. FORMAT_TOO_NEW, CORRUPT. */
export function withSummary(
  file: unknown,
  summary: { readonly level: SummaryLevel } & StoredSummary,
  at: SourceLocation,
): JsonObject {
  const { level, text, ...facts } = summary;
  const levels = {
    ...levelsIn(requireReadable(file, at.path)),
    [level]: { text, tokenCount: estimateTextTokens(text), ...facts },
  };
  const known = SUMMARY_LEVELS.filter((name) => levels[name] !== undefined);
  const ordered = Object.fromEntries(known.map((name) => [name, levels[name]]));
  return withField(file, { summaries: { ...ordered, ...levels } }, at);
}

/** The failures in the parsed file, without invalid ones. FORMAT_TOO_NEW, CORRUPT. */
export function readFailures(file: unknown, at: { readonly path: string }): PaidFailure[] {
  return objectsIn(requireReadable(file, at.path)['failures']).filter(isFailure);
}

/**
 * The whole file with this failure, which replaces the one of the same provider and level. FORMAT_TOO_NEW,
 * CORRUPT.
 */
export function withFailure(file: unknown, failure: PaidFailure, at: SourceLocation): JsonObject {
  const isOther = ({ level, provider }: PaidFailure) =>
    level !== failure.level || provider !== failure.provider;
  return withField(file, { failures: [...readFailures(file, at).filter(isOther), failure] }, at);
}

/** The whole file with another value of one field. */
function withField(
  file: unknown,
  field: JsonObject,
  { path, conversationId }: SourceLocation,
): JsonObject {
  const { formatVersion: _, conversationId: __, ...others } = requireReadable(file, path);
  return { formatVersion: versionOf('summaries'), conversationId, ...others, ...field };
}

function isFailure(value: JsonObject): value is JsonObject & PaidFailure {
  const { level, provider, request, code, failedAt } = value;
  return (
    SUMMARY_LEVELS.some((name) => name === level) &&
    typeof provider === 'string' &&
    typeof request === 'string' &&
    typeof code === 'string' &&
    Object.hasOwn(ERROR_KINDS, code) &&
    typeof failedAt === 'string' &&
    timeOfText(failedAt) !== undefined
  );
}

function requireReadable(file: unknown, path: string): JsonObject {
  if (file === undefined) return {};
  if (!isRecord(file)) {
    throw new AppError('CORRUPT', `${path} does not contain a JSON object.`, { details: { path } });
  }
  requireDepthToRead(file, path);
  return upgraded('summaries', file, path);
}

const levelsIn = ({ summaries }: JsonObject) => objectIn(summaries);

function summaryOf(value: unknown, level: SummaryLevel): Omit<Summary, 'tokenCount'> | undefined {
  if (!isRecord(value)) return undefined;
  const { text, provider, model, sourceHash, generatedAt } = value;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const quality = numberFrom(value['qualityScore']);
  const count = numberFrom(value['messageCount']);
  return {
    level,
    text,
    provider: typeof provider === 'string' ? provider : 'unknown',
    ...(typeof model === 'string' && { model }),
    messageCount: Number.isSafeInteger(count) && count >= 0 ? count : 0,
    ...textField(value, 'startMessageId'),
    ...textField(value, 'endMessageId'),
    sourceHash: typeof sourceHash === 'string' ? sourceHash : '',
    qualityScore: quality >= 0 && quality <= 1 ? quality : 0,
    generatedAt: typeof generatedAt === 'string' ? generatedAt : '',
  };
}

function textField<K extends string>(value: JsonObject, key: K): { [key in K]?: string } {
  const text = value[key];
  return (typeof text === 'string' ? { [key]: text } : {}) as { [key in K]?: string };
}
