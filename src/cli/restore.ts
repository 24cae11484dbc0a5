/**
 * `daybook restore`: brings back a backup, an export, or what is in the trash: a conversation, an insight,
 * a note. Whatever is there stays as it is; what was not brought back is named with its reason and ends
 * the command with 1.
 */
import { dirname, join, resolve } from 'node:path';
import type { App } from '../app.js';
import { AppError, isAppError } from '../base/errors.js';
import { restoreExport } from '../exchange/restore-export.js';
import { isArchive, isArchiveName } from '../files/archive.js';
import { readStamp } from '../files/stamp.js';
import { restoreArchive } from '../upkeep/restore-archive.js';
import type { Flags } from './configuration.js';
import { progressBar } from './progress-bar.js';
import { tell } from './tell.js';
import { withApp } from './with-app.js';

export interface RestoreOptions {
  to?: string;
  asNew?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

interface Call {
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

interface Outcome {
  readonly restored: readonly unknown[];
  readonly unchanged: readonly unknown[];
  readonly refused: readonly { name: string; code: string; reason: string }[];
}

type OnProgress = (progress: number, total?: number) => void;

/** `what`: a note's path; else a file, where there is one of that name (backups also in their own folder); else an id, or a name in the trash. */
export async function restore(what: string, options: RestoreOptions, flags: Flags): Promise<void> {
  await withApp(flags, async (app, signal) => {
    if (what.endsWith('.md')) return noteFromTrash(what, options, app);
    const path = await fileOf(what, app);
    if (path === undefined) return fromTrash(what, options, app);
    const isBackup = await isArchive(path);
    requireFitting(options, isBackup ? 'a backup' : 'an export');
    const bar = progressBar(process.stderr);
    const message = isBackup ? 'files' : 'conversations';
    const onProgress: OnProgress = (progress, total = 0) => bar.show({ progress, total, message });
    const bring = isBackup ? fromBackup : fromExport;
    const outcome = await bring(path, options, app, { signal, onProgress }).finally(bar.clear);
    report(outcome, options);
  });
}

/** As README and `backup` name a backup: by its path, in `backups/`, or by its name alone. */
async function fileOf(what: string, { backups: { folder } }: App): Promise<string | undefined> {
  const others = isArchiveName(what) ? [resolve(dirname(folder), what), resolve(folder, what)] : [];
  for (const path of [resolve(what), ...others]) if (await readStamp(path)) return path;
  return undefined;
}

async function noteFromTrash(
  what: string,
  options: RestoreOptions,
  { memoryBank }: App,
): Promise<void> {
  requireFitting(options, 'the trash');
  const path = await memoryBank.restore(what);
  const file = join(memoryBank.folder, path);
  tell({ path: file }, options.json, () => console.log(`${path} is back: ${file}`));
}

async function fromTrash(what: string, options: RestoreOptions, app: App): Promise<void> {
  requireFitting(options, 'the trash');
  if (INSIGHT.test(what) && !(await isDeletedKey(what, app))) {
    const path = await app.insights.restore(what);
    return tell({ path }, options.json, () => console.log(`The insight is back: ${path}`));
  }
  const restored = await app.conversations.restore(what).catch((error: unknown) => {
    const isNothing =
      isAppError(error, 'CONVERSATION_NOT_FOUND') || isAppError(error, 'VALIDATION_ERROR');
    throw isNothing && !/^\d{8}-\d{13}/.test(what) ? nothingOf(what, app) : error;
  });
  const { conversationId, droppedKey } = restored;
  const path = app.conversations.path(conversationId);
  tell({ ...restored, path }, options.json, () =>
    console.log(`${conversationId} is back: ${path}`),
  );
  if (droppedKey !== undefined) {
    console.error(
      `It came back without its key ${droppedKey}, which another conversation has now.`,
    );
  }
}

/** Clients also use UUIDs, which ids of insights are, as keys of conversations. */
const isDeletedKey = async (what: string, { conversations }: App) =>
  (await conversations.trashed()).some(({ clientId }) => clientId === what);

function nothingOf(what: string, { backups }: App): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    `There is no file ${what}, nor is that the id or key of a deleted conversation or the id of an insight.`,
    {
      hint: `Backups are looked for here and in ${backups.folder}. daybook restore --help tells where the ids of what was deleted are.`,
    },
  );
}

/** An id, or a name in the trash, which begins with one. */
const INSIGHT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** An option that would do nothing is a misunderstanding: better said than passed over. */
function requireFitting(
  options: RestoreOptions,
  from: 'a backup' | 'an export' | 'the trash',
): void {
  const wrong = [
    ...(options.to !== undefined && from !== 'a backup' ? ['--to'] : []),
    ...(options.asNew && from !== 'an export' ? ['--as-new'] : []),
    ...(options.dryRun && from === 'the trash' ? ['--dry-run'] : []),
  ];
  if (wrong.length === 0) return;
  throw new AppError('VALIDATION_ERROR', `${wrong.join(' and ')} cannot be used with ${from}.`);
}

async function fromBackup(
  path: string,
  { to, dryRun = false }: RestoreOptions,
  { areas, durability }: App,
  call: Call,
): Promise<Outcome> {
  const into = to === undefined ? areas : resolve(to);
  return restoreArchive(path, { ...durability, into, dryRun, ...call });
}

async function fromExport(
  path: string,
  { asNew = false, dryRun = false, json }: RestoreOptions,
  { conversations: store, documents }: App,
  call: Call,
): Promise<Outcome> {
  const report = await restoreExport(path, { store, documents, asNew, dryRun, ...call });
  for (const { from, id } of json ? [] : report.asNew) {
    console.log(
      id === undefined ? `${from} would come in as a new one` : `${from} came in as ${id}`,
    );
  }
  const refused = report.refused.map(({ place, code, reason }) => ({ name: place, code, reason }));
  return { ...report, restored: [...report.restored, ...report.asNew], refused };
}

function report(outcome: Outcome, { dryRun = false, json }: RestoreOptions): void {
  const { restored, unchanged, refused } = outcome;
  const verb = dryRun ? 'to be restored' : 'restored';
  tell(outcome, json, () =>
    console.log(
      `${restored.length} ${verb}, ${unchanged.length} there already, ${refused.length} left as they are`,
    ),
  );
  for (const { name, code, reason } of refused) console.error(`${name}: ${code}: ${reason}`);
  if (refused.length > 0) process.exitCode = 1;
}
