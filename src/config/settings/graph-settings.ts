/** The settings for the knowledge graph, and their part of the configuration. */
import { join } from 'node:path';
import { assertKeepsData } from '../given-path.js';
import {
  oneOf,
  onOff,
  setting,
  settingError,
  text,
  type ValuesOf,
  wholeNumber,
} from './define-setting.js';

const EVICTIONS = ['off', 'oldest'] as const;

export const GRAPH_SETTINGS = {
  kgSnapshot: setting({
    schema: text,
    takes: 'the path of a file',
    about:
      'The snapshot of the knowledge graph (default: `memory-bank/kg_snapshot.json` in the root).',
    env: ['MCP_KG_SNAPSHOT', 'MCP_KG_SNAPSHOT_PATH'],
  }),
  kgWal: setting({
    schema: text,
    takes: 'the path of a file',
    about:
      'The log of the knowledge graph, on the same file system as the snapshot (default: `memory-bank/kg_wal.log` in the root).',
    env: ['MCP_KG_WAL', 'MCP_KG_WAL_PATH'],
  }),
  kgFsync: setting({
    ...onOff,
    default: false,
    about: 'Whether a new fact is confirmed only after it is on the disk (default `0`).',
    env: ['MCP_KG_FSYNC'],
  }),
  kgMaxTriples: setting({
    ...wholeNumber(1, 100_000_000),
    default: 5_000,
    about:
      'The maximum number of facts in the knowledge graph, including ended facts (default `5000`).',
    env: ['MCP_KG_MAX_TRIPLES'],
  }),
  kgTtlDays: setting({
    ...wholeNumber(0, 36_500, 'days'),
    default: 0,
    about:
      'Facts that began more than this number of days ago are removed permanently; `0`: never (default `0`).',
    env: ['MCP_KG_TTL_DAYS'],
  }),
  kgEvict: setting({
    ...oneOf(EVICTIONS),
    default: 'off',
    about:
      'Whether the oldest facts are removed permanently when the knowledge graph is full (default `off`).',
    env: ['MCP_KG_EVICT'],
  }),
};

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
  values: ValuesOf<typeof GRAPH_SETTINGS>,
  nameOf: (setting: keyof typeof GRAPH_SETTINGS) => string | undefined,
  memoryBankFolder: string,
  placeOf: (path: string) => string,
): GraphConfig {
  const pathOf = (key: 'kgSnapshot' | 'kgWal', name: string) => {
    const given = values[key];
    const path = given === undefined ? join(memoryBankFolder, name) : placeOf(given);
    assertKeepsData(path, nameOf(key) ?? 'the root');
    return path;
  };
  const snapshotPath = pathOf('kgSnapshot', 'kg_snapshot.json');
  const walPath = pathOf('kgWal', 'kg_wal.log');
  // Their names must differ by more than the extension, because names of other files are derived from them.
  const stem = (path: string) => path.replace(/\.(json|log)$/, '');
  if (stem(snapshotPath) === stem(walPath)) {
    throw settingError(
      `MCP_KG_SNAPSHOT and MCP_KG_WAL must be two files with different names: ${snapshotPath} and ${walPath} would overwrite each other.`,
      { setting: 'kgWal' },
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
