/** The type of a setting, and the schemas that most use. settings.ts and its imports have the settings. */
import { z } from 'zod';

/** A text that is not empty. */
export const text = z.string().trim().min(1);
export const wholeNumber = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
export const onOff = z
  .union([z.boolean(), z.enum(['0', '1', 'false', 'true', 'off', 'on', 'no', 'yes'])])
  .transform((value) => value === true || ['1', 'true', 'on', 'yes'].includes(String(value)));
export const lowerCase = (value: unknown) =>
  typeof value === 'string' ? value.trim().toLowerCase() : value;

export interface Setting<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** The valid values, for the sentence "NAME must be …". */
  readonly takes: string;
  readonly about: string;
  /** Environment variables, the preferred one first. */
  readonly env: readonly string[];
  readonly flag?: string;
  /** Secrets can be set only in the environment, so that the settings file contains none. */
  readonly secret?: true;
}
export const setting = <T extends z.ZodType>(value: Setting<T>) => value;
