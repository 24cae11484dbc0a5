/**
 * Restores the files of a backup: missing files are written, existing files are never changed. Only the kinds
 * of files of Daybook are restored (restorable-files.ts); the others are listed. Before the first write, the
 * whole archive is read and every name is checked. Each file is written completely or not at all, so a second
 * call continues an interrupted one.
 */
import { basename, dirname, join } from 'node:path';
import { AppError, type ErrorCode, isAppError, withHint } from '../../base/errors.js';
import { type Durability, makeFolder } from '../../files/atomic/atomic-write.js';
import { addFile } from '../../files/atomic/new-file-stream.js';
import { archivedPath } from '../../files/paths/path-confinement.js';
import { readStampNow } from '../../files/read/stamp.js';
import { readStored } from '../../files/read/whole-file.js';
import { INNER_ARCHIVE, rewriteArchive } from '../../files/rewrite-tar-archive.js';
import { type FileSealer, plainSealer } from '../../files/sealing/file-sealer.js';
import { type ArchiveFile, readArchive } from '../../files/tar-archive.js';
import { WriteSlots } from '../../files/write-slots.js';
import type { BackupArea } from '../backup/backup-content.js';
import { CONTENTS_NAME, checkArchive } from '../check-archive.js';
import { isConfiguration } from '../configuration-in-archive.js';
import { restoredGraphPaths } from '../graph-in-archive.js';
import { MARKER_NAME, requireSameEncryption } from './encrypted-archive.js';
import { problemWithRestoring } from './restorable-files.js';

/**
 * The retention policy. It is restored only into another folder, because it moves conversations to the trash every
 * day: a person or an assistant must set it.
 */
export const POLICY = 'conversation-logs/retention.json';
const JOB = /^(conversation-logs\/[^/]+\/)job\.json$/;

/** Every file system can store earlier times (the year 2106). An archive may have any time. */
const MAX_TIME_MS = 2 ** 32 * 1000;

const FULL_HINT =
  'A part of the files may be restored. Free some disk space, then run the same command again: it restores the rest.';

/** Bytes of files that are written at the same time, because each waits for the disk. */
const SLOTS = { atOnce: 32, weight: 16 * 1024 * 1024 };

export interface RestoreOptions extends Durability {
  /** The folders of the root, or the path of one folder to which all files are extracted. */
  readonly into: readonly BackupArea[] | string;
  /** The paths of the graph's files on this machine, by their names in archives (graph-in-archive.ts). */
  readonly graphPaths?: ReadonlyMap<string, string>;
  /** If given, only files for whose name it returns true are restored. */
  readonly only?: (name: string) => boolean;
  /** If given, files for whose name it returns true are restored last, and only if no other file was refused. */
  readonly last?: (name: string) => boolean;
  /** Seals the restored files for the root. If `undefined`, the bytes of the archive are written. */
  readonly sealer?: FileSealer | undefined;
  /** Throws STORAGE_FULL if the store would exceed its limit with `moreBytes` more. */
  readonly requireRoom?: ((moreBytes: number) => Promise<void>) | undefined;
  /** If true, nothing is written; the report shows what would be done. */
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called for each file; without `total` while the archive is checked. */
  onProgress?(files: number, total?: number): void;
}

export interface RestoreReport {
  readonly createdAt: string;
  /** All names are those in the archive. */
  readonly restored: string[];
  readonly unchanged: string[];
  /** Files that were not restored, each with the reason. */
  readonly refused: { name: string; code: ErrorCode; reason: string }[];
  /**
   * Settings files and the retention policy. They are never restored, because they decide where data is sent and
   * what is removed.
   */
  readonly settings: string[];
}

interface Target {
  readonly folder: string;
  readonly name: string;
}

/**
 * Restores an archive. The files are durable when it resolves. CORRUPT, PATH_ESCAPE, FORMAT_TOO_NEW, CONFLICT
 * (another encryption key); then nothing was written. STORAGE_FULL, FILESYSTEM_ERROR; then some files may be
 * restored.
 */
export async function restoreArchive(path: string, given: RestoreOptions): Promise<RestoreReport> {
  const { createdAt, files } = await checkArchive(path, given.signal, given.onProgress);
  const names = files.map(({ name }) => name);
  const graphPaths = given.graphPaths && restoredGraphPaths(names, given.graphPaths);
  const options = graphPaths === undefined ? given : { ...given, graphPaths };
  for (const name of names) {
    const target = targetOf(name, options);
    if (target !== undefined) archivedPath(target.folder, target.name);
  }
  if (typeof options.into !== 'string') {
    await requireSameEncryption(path, files, options.into);
  }
  if (!options.dryRun) await options.requireRoom?.(missingBytes(files, options));
  const report: RestoreReport = {
    createdAt,
    restored: [],
    unchanged: [],
    refused: [],
    settings: [],
  };
  await restoreFiles(path, options, { report, count: files.length });
  return report;
}

async function restoreFiles(
  path: string,
  options: RestoreOptions,
  { report, count }: { report: RestoreReport; count: number },
): Promise<void> {
  const { signal, onProgress } = options;
  const slots = new WriteSlots(SLOTS);
  const last: ArchiveFile[] = [];
  let done = 0;
  let marker: ArchiveFile | undefined;
  try {
    for await (const file of readArchive(path)) {
      signal?.throwIfAborted();
      if (file.name === CONTENTS_NAME || options.only?.(file.name) === false) continue;
      if (file.name === MARKER_NAME) marker = file;
      else if (options.last?.(file.name)) last.push(file);
      else await restoreOne(file, options, { report, slots });
      onProgress?.(++done, count);
    }
  } finally {
    await slots.settled();
  }
  slots.throwIfFailed();
  const isWhole = report.refused.length === 0;
  for (const file of [...(isWhole ? last : []), ...(marker === undefined ? [] : [marker])]) {
    await restoreOne(file, options, { report, slots });
  }
  await slots.settled();
  slots.throwIfFailed();
}

/** Returns the size of the missing files that count for the size limit. */
function missingBytes(
  files: readonly { readonly name: string; readonly sizeBytes: number }[],
  options: RestoreOptions,
): number {
  const isMissing = (name: string) => {
    const target = targetOf(name, options);
    if (target === undefined || name.includes('/.trash/')) return false;
    return options.only?.(name) !== false && isAbsent(join(target.folder, target.name));
  };
  return files.reduce((sum, { name, sizeBytes }) => sum + (isMissing(name) ? sizeBytes : 0), 0);
}

/** Returns false for a name that the file system does not support; `restoreOne` refuses it later. */
function isAbsent(path: string): boolean {
  try {
    return readStampNow(path) === undefined;
  } catch (error) {
    if (isAppError(error)) return false;
    throw error;
  }
}

interface Run {
  readonly report: RestoreReport;
  readonly slots: WriteSlots;
}

async function restoreOne(file: ArchiveFile, options: RestoreOptions, run: Run): Promise<void> {
  const { name } = file;
  const { report, slots } = run;
  // Whether a research run is restored depends on whether its conversation was.
  if (JOB.test(name)) await slots.settled();
  try {
    const what = await decide(file, options, report.restored);
    report[what].push(name);
    if (what !== 'restored' || options.dryRun) return;
  } catch (error) {
    return refuse(report, name, error);
  }
  await slots.add(file.bytes.byteLength, () =>
    write(file, options).catch((error: unknown) => {
      report.restored.splice(report.restored.indexOf(name), 1);
      refuse(report, name, error);
    }),
  );
}

/** If the disk is full, the other files would fail too. */
function refuse(report: RestoreReport, name: string, error: unknown): void {
  if (!isAppError(error)) throw error;
  if (error.code === 'STORAGE_FULL') throw withHint(error, FULL_HINT);
  report.refused.push({ name, code: error.code, reason: error.message });
}

async function decide(
  { name, bytes }: ArchiveFile,
  options: RestoreOptions,
  restored: readonly string[],
): Promise<'restored' | 'unchanged' | 'settings'> {
  const { into, graphPaths = new Map() } = options;
  const graphNames = new Set([...graphPaths.values()].map((path) => basename(path)));
  const problem = problemWithRestoring(name, bytes, graphNames);
  if (problem === undefined && typeof into !== 'string' && isConfiguration(name)) {
    return 'settings';
  }
  const target = targetOf(name, options);
  if (problem !== undefined || target === undefined) {
    throw new AppError('PATH_ESCAPE', problem ?? `${name} is not in a folder of the store.`);
  }
  if (typeof into !== 'string') requireGraphInUse(name, target, graphPaths);
  const current = await readStored(join(target.folder, target.name));
  if (current !== undefined) {
    if (hasSameContent(current.bytes, Buffer.from(bytes), target.name, options)) return 'unchanged';
    throw new AppError('ALREADY_EXISTS', `${name} exists with other content. It was not changed.`);
  }
  if (name === POLICY && typeof into !== 'string') return 'settings';
  const conversation = typeof into === 'string' ? undefined : JOB.exec(name)?.[1];
  // Beside an existing conversation, Daybook would continue a research run that has ended long ago.
  if (conversation === undefined || restored.includes(`${conversation}conversation.json`)) {
    return 'restored';
  }
  throw new AppError(
    'CONFLICT',
    `${name} was not restored, because its conversation already exists.`,
  );
}

/** CONFLICT for a file of an older graph in the memory bank, at whose path the graph in use is restored. */
function requireGraphInUse(
  name: string,
  target: Target,
  graphPaths: ReadonlyMap<string, string>,
): void {
  if (graphPaths.has(name)) return;
  if (![...graphPaths.values()].includes(join(target.folder, target.name))) return;
  throw new AppError(
    'CONFLICT',
    `${name} was not restored, because the graph in use is in knowledge-graph/ of the backup.`,
  );
}

/** Compares the opened contents, because sealing the same text twice results in different bytes. */
function hasSameContent(
  current: Buffer,
  archived: Buffer,
  name: string,
  { sealer = plainSealer }: RestoreOptions,
): boolean {
  if (current.equals(archived)) return true;
  return sealer.open(name, current).equals(sealer.open(name, archived));
}

async function write(file: ArchiveFile, options: RestoreOptions): Promise<void> {
  const target = targetOf(file.name, options);
  if (target === undefined) return;
  await makeFolder(target.folder);
  const { sealer = plainSealer, fsync } = options;
  const path = join(target.folder, target.name);
  const sealed = sealer.sealed(target.name, Buffer.from(file.bytes));
  // The only date of a note is the time of its file.
  const modifiedMs =
    file.modifiedMs > 0 && file.modifiedMs < MAX_TIME_MS ? file.modifiedMs : undefined;
  await addFile(path, sealed ?? file.bytes, { fsync, modifiedMs });
  // It is not sealed as a whole, but the files in it are.
  if (!INNER_ARCHIVE.test(file.name)) return;
  await rewriteArchive(path, {
    contentsName: CONTENTS_NAME,
    fsync,
    change: ({ name, bytes }) => sealer.sealed(name, bytes),
  });
}

function targetOf(name: string, { into, graphPaths }: RestoreOptions): Target | undefined {
  if (typeof into === 'string') return { folder: into, name };
  const graphPath = graphPaths?.get(name);
  if (graphPath !== undefined) return { folder: dirname(graphPath), name: basename(graphPath) };
  const area = into.find((each) => name.startsWith(`${each.name}/`));
  return area && { folder: area.folder, name: name.slice(area.name.length + 1) };
}
