/**
 * Imports sessions while they grow, before their tools delete them. Each round reads only the files that
 * have changed since the last round.
 */
import { sleep } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import type { InputFile } from '../../files/input/input-types.js';
import { isInside } from '../../files/paths/path-confinement.js';
import type { ImportReport } from '../import-types.js';
import type { ImportChoice, Importer } from '../importer.js';
import type { FileVersions } from './imported-files.js';

/** The pause between two rounds, of servers and of `daybook import --watch`. */
export const WATCH_INTERVAL_MS = 60_000;

export interface WatchOptions {
  /** Called in each round, because a tool may be used for the first time. */
  paths(): Promise<readonly string[]>;
  /** The versions of files that are imported already. Each round adds those that it has read. */
  readonly files?: FileVersions;
  /** Called after a round that has added versions to `files`. */
  readonly onFiles?: () => Promise<void>;
  /** See `ImportRequest.areFound`. */
  readonly areFound: boolean;
  /** What each round imports from the paths, and how. */
  readonly choice?: ImportChoice;
  readonly everyMs: number;
  /** Ends the watch and cancels the import of the current round. */
  readonly signal: AbortSignal;
  /** Gets each problem once, although each round that reads its file finds it again. */
  onRound(report: ImportReport): void;
  /** Called when a round fails, also because of a bug. The next round tries again. */
  onError(error: Error): void;
}

interface Seen {
  /** Size and time of the last version that was read. */
  readonly files: FileVersions;
  readonly problems: Set<string>;
}

function isFirst({ problems }: Seen, problem: string): boolean {
  const { size } = problems;
  return problems.add(problem).size > size;
}

/** Otherwise the next round reads the same files again: the disk was full, or a conversation was locked. */
const isComplete = ({ stopped, problems }: ImportReport): boolean =>
  stopped === undefined && !problems.some(({ code }) => code === 'LOCKED');

/** Resolves when the signal is aborted. */
export async function watchImports(importer: Importer, options: WatchOptions): Promise<void> {
  const { signal } = options;
  const seen: Seen = { files: options.files ?? new Map(), problems: new Set() };
  while (!signal.aborted) {
    for (const path of await options.paths()) await round(importer, path, seen, options);
    await sleep(options.everyMs, signal).catch(() => undefined); // aborted: the loop ends
  }
}

async function round(
  importer: Importer,
  path: string,
  seen: Seen,
  { areFound, choice, signal, onRound, onError, onFiles }: WatchOptions,
): Promise<void> {
  const now = new Map<string, string>();
  const isKnown = (file: InputFile) => {
    const name = file.diskPath ?? `${path}/${file.name}`;
    const version = `${file.sizeBytes} ${file.modifiedAtMs}`;
    now.set(name, version);
    return seen.files.get(name) === version;
  };
  const unreadable = new Set<string>();
  const onUnreadable = ({ diskPath = '' }: InputFile) => void unreadable.add(diskPath);
  try {
    const request = { ...choice, paths: [path], areFound, dryRun: false, signal };
    const report = await importer.run({ ...request, isKnown, onUnreadable });
    const problems = report.problems.filter((problem) => isFirst(seen, JSON.stringify(problem)));
    onRound({ ...report, problems });
    if (!isComplete(report)) return;
    const read = [...now].filter(([name]) => !unreadable.has(name));
    const added = read.filter(([name, version]) => seen.files.get(name) !== version);
    for (const [name, version] of added) seen.files.set(name, version);
    if (added.length > 0) await onFiles?.();
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof Error)) throw error;
    // The tool may have deleted all its sessions.
    const wasRead = [...seen.files.keys()].some((name) => isInside(name, path));
    if (!wasRead || !isAppError(error, 'VALIDATION_ERROR')) onError(error);
  }
}
