/** The knowledge-graph part of the configuration. */
import { join } from 'node:path';
import { AppError } from '../base/errors.js';
import type { FoundSettings } from './find-settings.js';
import { assertKeepsData } from './given-path.js';
import type { EVICTIONS, SettingValues } from './settings.js';

export interface GraphConfig {
  /** The absolute path. */
  readonly snapshotPath: string;
  readonly walPath: string;
  readonly fsync: boolean;
  readonly maxTriples: number;
  /** Infinity: facts do not expire. */
  readonly ttlDays: number;
  readonly evict: (typeof EVICTIONS)[number];
}

export function graphConfig(
  values: SettingValues,
  found: FoundSettings,
  root: string,
  placeOf: (path: string) => string,
): GraphConfig {
  const pathOf = (key: 'kgSnapshot' | 'kgWal', name: string) => {
    const given = values[key];
    const path = given === undefined ? join(root, 'memory-bank', name) : placeOf(given);
    assertKeepsData(path, found[key]?.name ?? 'the root');
    return path;
  };
  const snapshotPath = pathOf('kgSnapshot', 'kg_snapshot.json');
  const walPath = pathOf('kgWal', 'kg_wal.log');
  // Their names must differ by more than the extension, because names of other files are derived from them.
  const stem = (path: string) => path.replace(/\.(json|log)$/, '');
  if (stem(snapshotPath) === stem(walPath)) {
    throw new AppError(
      'VALIDATION_ERROR',
      `MCP_KG_SNAPSHOT and MCP_KG_WAL must be two files with different names: ${snapshotPath} and ${walPath} would overwrite each other.`,
      { details: { setting: 'kgWal' } },
    );
  }
  return Object.freeze({
    snapshotPath,
    walPath,
    fsync: values.kgFsync,
    maxTriples: values.kgMaxTriples,
    ttlDays: values.kgTtlDays === 0 ? Number.POSITIVE_INFINITY : values.kgTtlDays,
    evict: values.kgEvict,
  });
}
