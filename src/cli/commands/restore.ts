/**
 * `daybook restore`: restores a backup or an export. Deleted and archived items are restored by restore-deleted.ts.
 * Existing files are not changed; skipped files are shown with the reason.
 */
import { dirname, resolve } from 'node:path';
import type { App } from '../../app.js';
import { firstOf } from '../../base/async/first-of.js';
import { AppError } from '../../base/errors.js';
import { assertNotEmpty } from '../../config/given-path.js';
import { readExport } from '../../exchange/read-export.js';
import { restoreExport } from '../../exchange/restore-export.js';
import { isPresent } from '../../files/paths/folders.js';
import { resolveRealPath } from '../../files/safe-access/real-path.js';
import { isArchive, isArchiveName } from '../../files/tar-archive.js';
import { checkArchive } from '../../maintenance/check-archive.js';
import { graphPathsOf } from '../../maintenance/graph-in-archive.js';
import { POLICY, restoreArchive } from '../../maintenance/restore/restore-archive.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { withAgeKeys } from '../options/age-encryption-options.js';
import { configuration, type Flags } from '../options/configuration.js';
import { daybookLine } from '../terminal/command-line.js';
import { report as reportFacts } from '../terminal/output.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { escapeControls, oneLine } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';
import { isPresentFile, restoreDeleted } from './restore-deleted.js';

export interface RestoreOptions {
  to?: string;
  asNew?: boolean;
  version?: string;
  dryRun?: boolean;
  json?: boolean;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

interface RestoreReport {
  readonly restored: readonly unknown[];
  readonly unchanged: readonly unknown[];
  readonly refused: readonly { name: string; code: string; reason: string }[];
  readonly settings?: readonly string[];
}

type OnProgress = (progress: number, total?: number) => void;

/**
 * `what` is the first of these that exists: the path of a deleted note; a file (a backup is also found in
 * the folder of backups); an id, a key, a name in the trash, or a title.
 */
export function restore(
  what: string,
  { identity, ...options }: RestoreOptions & { identity?: string },
  flags: Flags,
): Promise<void> {
  return withAgeKeys(identity, flags, () => restoreWhat(what, options, flags));
}

async function restoreWhat(what: string, options: RestoreOptions, flags: Flags): Promise<void> {
  assertNotEmpty(what, 'The name of what to restore');
  if (options.version !== undefined) return restoreVersionOf(what, options, flags);
  const { to, dryRun = false } = options;
  const isReading = dryRun || to !== undefined;
  // A name that is not a file can only be in a store that exists.
  const mayCreateRoot = !what.endsWith('.md') && (await isPresentFile(resolve(what)));
  const { root } = configuration(flags);
  if (mayCreateRoot && !isReading && !(await isPresent(root))) {
    await requireRestorable(resolve(what), options);
  }
  await withApp(
    flags,
    async (app, signal) => {
      const path = await fileOf(what, app);
      if (path === undefined || what.endsWith('.md')) {
        requireNoFileOptions(what, options);
        return restoreDeleted(what, path, { app, flags, json: options.json, signal });
      }
      const isBackup = await isArchive(path);
      requireFitting(options, isBackup);
      const message = isBackup ? 'files' : 'conversations';
      const restoreFile = isBackup ? fromBackup : fromExport;
      const outcome = await withProgressBar((show) => {
        const onProgress: OnProgress = (progress, total = 0) => show({ progress, total, message });
        return restoreFile(path, options, app, { signal, onProgress });
      });
      report(outcome, resolve(options.to ?? root), options);
      if (isBackup && options.to === undefined) adviseOnExisting(outcome, what, flags);
    },
    { isReading, writesElsewhere: true, mayCreateRoot },
  );
}

async function restoreVersionOf(
  what: string,
  { version = '', json, ...others }: RestoreOptions,
  flags: Flags,
): Promise<void> {
  const number = /^\d{1,9}$/.test(version) ? Number(version) : 0;
  const [other] = Object.keys(others);
  if (number === 0 || other !== undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      number === 0
        ? '--version must be a number that daybook history shows.'
        : '--version cannot be used with other options of restore.',
    );
  }
  const { restoreVersion } = await import('./history.js');
  await restoreVersion(what, number, json, flags);
}

/** Reads the file before a root is created for it. Throws like `restoreArchive` and `restoreExport`. */
async function requireRestorable(path: string, options: RestoreOptions): Promise<void> {
  const isBackup = await isArchive(path);
  requireFitting(options, isBackup);
  if (isBackup) await checkArchive(path);
  else await firstOf(readExport(path));
}

/** The path of an existing file: `what` itself, or a backup in the folder of backups. */
async function fileOf(what: string, { backups: { folder } }: App): Promise<string | undefined> {
  const others = isArchiveName(what) ? [resolve(dirname(folder), what), resolve(folder, what)] : [];
  for (const path of [resolve(what), ...others]) {
    if (await isPresentFile(path)) return path;
  }
  return undefined;
}

/** Throws VALIDATION_ERROR for an option that has no effect for this kind of file. */
function requireFitting({ to, asNew }: RestoreOptions, isBackup: boolean): void {
  if (isBackup && asNew)
    throw new AppError('VALIDATION_ERROR', '--as-new cannot be used with a backup.');
  if (!isBackup && to !== undefined)
    throw new AppError('VALIDATION_ERROR', '--to cannot be used with an export.');
}

/** Throws VALIDATION_ERROR for an option of files. A mistyped file name arrives here too. */
function requireNoFileOptions(what: string, { to, asNew, dryRun }: RestoreOptions): void {
  const [wrong] = [
    ...(to === undefined ? [] : ['--to']),
    ...(asNew ? ['--as-new'] : []),
    ...(dryRun ? ['--dry-run'] : []),
  ];
  if (wrong === undefined) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `${what} is not a file of a backup or an export, so ${wrong} cannot be used.`,
  );
}

async function fromBackup(
  path: string,
  { to, dryRun = false }: RestoreOptions,
  { areas, durability, kg, sealer, size }: App,
  call: CallOptions,
): Promise<RestoreReport> {
  const into = to === undefined ? areas : resolveRealPath(to);
  const graphPaths = graphPathsOf(kg.files);
  const requireRoom = (bytes: number) => size.requireRoom(bytes);
  const ofRoot = to === undefined ? { sealer, requireRoom } : {};
  return restoreArchive(path, { ...durability, into, graphPaths, dryRun, ...ofRoot, ...call });
}

async function fromExport(
  path: string,
  { asNew = false, dryRun = false, json }: RestoreOptions,
  { conversations: store, documents, languageModels }: App,
  call: CallOptions,
): Promise<RestoreReport> {
  const { store: summaries } = languageModels;
  const options = { store, documents, summaries, asNew, dryRun, ...call };
  const report = await restoreExport(path, options);
  for (const { from, id } of json ? [] : report.asNew) {
    console.log(
      id === undefined
        ? `${from} would be added as a new conversation`
        : `${from} was added as ${id}`,
    );
  }
  const refused = report.refused.map(({ location, code, reason }) => ({
    name: location,
    code,
    reason,
  }));
  return { ...report, restored: [...report.restored, ...report.asNew], refused };
}

/** `into`: the folder of the restored files. */
function report(
  outcome: RestoreReport,
  into: string,
  { dryRun = false, json }: RestoreOptions,
): void {
  const { restored, unchanged, refused, settings = [] } = outcome;
  const verb = dryRun ? 'to be restored' : 'restored';
  reportFacts(outcome, json, () => {
    const why = refused.length > 0 ? ' (the reasons are below)' : '';
    console.log(
      `In ${escapeControls(into)}: ${restored.length} ${verb}, ${unchanged.length} unchanged, ${refused.length} skipped${why}`,
    );
    if (settings.length > 0) {
      const policy = settings.includes(POLICY) ? ' and the retention policy' : '';
      console.log(
        `The settings${policy} in the backup were not restored. To extract them, use --to FOLDER.`,
      );
    }
  });
  for (const { name, code, reason } of refused) {
    // A file of another program, such as a copy of an editor, is no error: its reason names it.
    const isForeign = code === 'PATH_ESCAPE' && reason.startsWith(name);
    console.error(oneLine(isForeign ? reason : `${name}: ${code}: ${reason}`));
  }
  if (refused.length > 0) process.exitCode = NOTHING_FOUND;
}

const STORED_CONVERSATION = /^conversation-logs\/(\d{8}-\d{13})\//;

/** Prints how to take the version of the backup instead of the existing file. */
function adviseOnExisting({ refused }: RestoreReport, what: string, flags: Flags): void {
  const existing = refused.filter(({ code }) => code === 'ALREADY_EXISTS');
  if (existing.length === 0) return;
  const ids = existing.flatMap(({ name }) => STORED_CONVERSATION.exec(name)?.[1] ?? []);
  const [id] = ids;
  if (id !== undefined) {
    console.error(
      `To take a conversation from the backup, move the existing one to the trash with: ${daybookLine(flags, 'delete', id)}\nThen run: ${daybookLine(flags, 'restore', what)}`,
    );
  }
  console.error(
    `To add the facts and messages that only the backup has, extract it into a new folder with: ${daybookLine(flags, 'restore', what, '--to', 'FOLDER')}\nThen run: ${daybookLine(flags, 'import', 'FOLDER')}`,
  );
}
