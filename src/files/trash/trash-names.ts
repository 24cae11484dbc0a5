/**
 * Names in a trash folder: the deleted path, with the UTC time of the deletion before the extension, such
 * as `ideas/garden.20260301T101500123Z.md`. If a person moved the file there, the name may have no time.
 * An earlier version wrote `<time>/<path>` for notes. This form is still read, and it is used if the other
 * name would be too long.
 */
import { posix } from 'node:path';
import { compactTime, isoOfCompact } from '../../base/clock.js';

const TIMED = /^(.+)\.(\d{8}T\d{9}Z)(\.[^./]+)?$/s;
/** The maximum length of one part of a path, on all common file systems. */
const MAX_NAME_BYTES = 255;

export interface TrashName {
  /** The deleted path, relative to the folder of the store, with `/`. */
  readonly path: string;
  /** ISO 8601; absent if the name has no time. */
  readonly deletedAt?: string;
}

export function trashNameOf(path: string, deletedMs: number): string {
  const time = compactTime(deletedMs);
  const ending = posix.extname(path);
  const name = `${path.slice(0, path.length - ending.length)}.${time}${ending}`;
  const isTooLong = Buffer.byteLength(posix.basename(name)) > MAX_NAME_BYTES;
  // A path that itself begins with a time would be read as `<time>/<path>`.
  return isTooLong || timeInFront(path) !== undefined ? `${time}/${path}` : name;
}

export function parseTrashName(name: string): TrashName {
  const inFront = timeInFront(name);
  if (inFront !== undefined) {
    return { path: name.slice(name.indexOf('/') + 1), deletedAt: inFront };
  }
  const [, stem = '', time = '', ending = ''] = TIMED.exec(name) ?? [];
  const deletedAt = isoOfCompact(time);
  return deletedAt === undefined ? { path: name } : { path: `${stem}${ending}`, deletedAt };
}

function timeInFront(path: string): string | undefined {
  return isoOfCompact(path.slice(0, Math.max(0, path.indexOf('/'))));
}
