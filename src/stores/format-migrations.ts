/**
 * The migrations of each kind of JSON file (docs/FORMAT.md). A step converts the fields of version n to
 * those of version n + 1, in memory; the next write stores the new version. The number of steps of a kind
 * therefore determines the version that this program writes. There are no steps yet: every kind has
 * version 1.
 */
import { AppError } from '../base/errors.js';

type Fields = { [key: string]: unknown };

/**
 * Gets the whole parsed file and returns a new object. The file may have been edited by hand: a step
 * leaves what it does not understand unchanged, and the reader checks it. A step must not throw. Texts may
 * be encrypted, so a step moves them and does not read them.
 */
export type FormatStep = (file: Fields) => Fields;

export type FileKind = 'conversation' | 'summaries' | 'state' | 'insight' | 'retention' | 'job';

/** The first step of a kind converts version 1 to version 2. */
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

/** The fields in the current version; a file without a version has version 1. FORMAT_TOO_NEW. */
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
