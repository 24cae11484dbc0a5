/**
 * The type of a setting, and the schemas that most settings use, with the texts for their values. The settings
 * themselves are in settings.ts and in the files of the groups that it imports.
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';

/** A text that is not empty. */
export const text = () => z.string().trim().min(1);
/** `unit`: the plural, such as `days`. */
export const wholeNumber = (min: number, max: number, unit?: string) => ({
  schema: () => z.preprocess(numberOf, z.int().min(min).max(max)),
  takes: `a whole number${unit === undefined ? '' : ` of ${unit}`} from ${min} to ${max}`,
});
/** Not `z.coerce`, for which an empty text and `null` are 0. */
const numberOf = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
/** Numbers and truth values of the configuration file become the texts that a variable has. */
const lowerCase = (value: unknown) =>
  typeof value === 'object' ? value : String(value).trim().toLowerCase();
/** A word of a list, in any case. */
export const oneOf = <const T extends readonly string[]>(words: T) => ({
  schema: () => z.preprocess(lowerCase, z.enum(words)),
  takes: `one of ${words.join(', ')}`,
});
const ON = ['1', 'true', 'on', 'yes'];
const OFF = ['0', 'false', 'off', 'no'];
export const onOff = {
  schema: () =>
    z.preprocess(
      lowerCase,
      z.enum([...ON, ...OFF]).transform((word) => ON.includes(word)),
    ),
  takes: '1 or 0',
};

/** The address of a server. Its paths are added at the end, and `fetch` refuses a user name. */
export const serverAddress = () => z.url({ protocol: /^https?$/ }).refine(hasOnlyPath);
export const SERVER_ADDRESS = 'an http or https address without a user name, a query or a fragment';

function hasOnlyPath(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password, search, hash } = new URL(address);
  return username + password + search + hash === '';
}

export interface Setting<V = unknown> {
  /** A function, because a start makes only the schemas of the settings that have a value. */
  readonly schema: () => z.ZodType<V>;
  /** The value if the user set none. */
  readonly default?: V;
  /** The valid values, for the sentence "NAME must be …". */
  readonly takes: string;
  readonly about: string;
  /** Environment variables, the preferred one first. */
  readonly env: readonly string[];
  readonly flag?: string;
  /** Secrets can be set only in the environment, so that the configuration file contains none. */
  readonly secret?: true;
  /** Errors do not show a wrong value, because it may be a key that was put here by mistake. */
  readonly isHidden?: true;
}
type WithDefault<V> = Setting<V> & { readonly default: V };

export function setting<const V>(
  value: Setting<V> & { readonly default: NoInfer<V> },
): WithDefault<V>;
export function setting<const V>(value: Setting<V>): Setting<V>;
export function setting<const V>(value: Setting<V>): Setting<V> {
  return value;
}

/** The values of some settings; one without a default can be `undefined`. */
export type ValuesOf<S> = { readonly [K in keyof S]: ValueOf<S[K]> };
type ValueOf<S> =
  S extends WithDefault<infer V> ? V : S extends Setting<infer V> ? V | undefined : never;

/** The error for a setting that cannot be used, wherever it was set. */
export function settingError(
  message: string,
  details: Readonly<Record<string, unknown>>,
): AppError {
  return new AppError('VALIDATION_ERROR', message, {
    hint: 'Correct that setting and try again.',
    details,
  });
}
