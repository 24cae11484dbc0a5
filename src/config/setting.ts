/**
 * What one setting is, and the values that most settings take. The settings themselves are in
 * settings.ts and the files that it joins.
 */
import { z } from 'zod';

/** What most settings take. */
export const text = z.string().trim().min(1);
export const wholeNumber = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
export const onOff = z
  .union([z.boolean(), z.enum(['0', '1', 'false', 'true', 'off', 'on', 'no', 'yes'])])
  .transform((value) => value === true || ['1', 'true', 'on', 'yes'].includes(String(value)));
export const lowerCase = (value: unknown) =>
  typeof value === 'string' ? value.trim().toLowerCase() : value;

export interface Setting<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** Completes "NAME takes …". */
  readonly takes: string;
  readonly about: string;
  /** Environment variables, the preferred one first. */
  readonly env: readonly string[];
  readonly flag?: string;
  /** Secrets come from the environment only, so that no file has to be kept private. */
  readonly secret?: true;
}
export const setting = <T extends z.ZodType>(value: Setting<T>) => value;
