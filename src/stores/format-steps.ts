/**
 * How each kind of JSON file moves on (docs/FORMAT.md). A step makes the fields of version n + 1 out of
 * those of version n, in memory; the file has the new version from its next write on. So the number of
 * steps of a kind says which version this program writes. There are none yet: every kind is at version 1.
 */
import { AppError } from '../base/errors.js';

type Fields = { [key: string]: unknown };

/**
 * Gets the whole file as it was parsed and answers a new object. The file may have been edited by hand:
 * what the step does not understand it leaves as it is, for the reader to judge. It must not throw.
 * Texts may be sealed (encryption), so a step moves them and does not read them.
 */
export type FormatStep = (file: Fields) => Fields;

export type FileKind = 'conversation' | 'summaries' | 'state' | 'insight' | 'retention' | 'job';

/** The first step of a kind leads from version 1 to 2. */
export const FORMAT_STEPS: { readonly [kind in FileKind]: FormatStep[] } = {
  conversation: [],
  summaries: [],
  state: [],
  insight: [],
  retention: [],
  job: [],
};

/** The version that is written, and the highest that is read. */
export const versionOf = (kind: FileKind): number => 1 + FORMAT_STEPS[kind].length;

/** The fields as the present version has them; a file without a version has version 1. FORMAT_TOO_NEW. */
export function upgraded(kind: FileKind, file: Fields, path: string): Fields {
  const { formatVersion } = file;
  const from = typeof formatVersion === 'number' ? formatVersion : 1;
  const current = versionOf(kind);
  if (from > current) {
    throw new AppError(
      'FORMAT_TOO_NEW',
      `${path} has format version ${from}, but this version of Daybook reads only format versions up to ${current}.`,
      { details: { path, formatVersion: from } },
    );
  }
  const steps = FORMAT_STEPS[kind].slice(Math.max(0, from - 1));
  if (steps.length === 0) return file;
  return { ...steps.reduce((fields, step) => step(fields), file), formatVersion: current };
}
