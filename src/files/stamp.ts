/**
 * What identifies the content of a file without reading it: device, inode, size and modification
 * time in nanoseconds. An atomic replace changes the inode, an edit in place the time.
 * Times are compared for being equal only, never for order: clocks jump and git sets times back.
 */
import type { BigIntStats } from 'node:fs';

export interface Stamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** The stamp of a file as `stat` (with `bigint: true`) saw it. */
export function stampOf({ dev, ino, size, mtimeNs }: BigIntStats): Stamp {
  return { dev, ino, size, mtimeNs };
}

/** True when both stand for the same content; a file that is not there (`undefined`) equals only itself. */
export function isSameStamp(a: Stamp | undefined, b: Stamp | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}
