/**
 * Imports sessions while they grow, before their tools delete them. Each round reads only the files that
 * have changed since the last round.
 */
import { sleep } from '../base/clock.js';
import { isAppError } from '../base/errors.js';
import type { InputFile } from '../files/input/input-types.js';
import { isInside } from '../files/paths/paths.js';
import type { Importer } from './importer.js';
import type { ImportReport } from './run-import.js';

export interface WatchOptions {
  /** Called in each round, because a tool may be used for the first time. */
  paths(): Promise<readonly string[]>;
  readonly everyMs: number;
  /** Ends the watch and cancels the import of the current round. */
  readonly signal: AbortSignal;
  onRound(report: ImportReport): void;
  /** Called when a round fails. The next round tries again. */
  onError(error: Error): void;
}

/** Resolves when the signal is aborted. */
export async function watchImports(importer: Importer, options: WatchOptions): Promise<void> {
  const { signal } = options;
  const seen = new Map<string, string>();
  while (!signal.aborted) {
    for (const path of await options.paths()) await round(importer, path, seen, options);
    await sleep(options.everyMs, signal).catch(() => undefined); // aborted: the loop ends
  }
}

async function round(
  importer: Importer,
  path: string,
  seen: Map<string, string>,
  { signal, onRound, onError }: WatchOptions,
): Promise<void> {
  const now = new Map<string, string>();
  const isKnown = (file: InputFile) => {
    const name = file.diskPath ?? `${path}/${file.name}`;
    const version = `${file.sizeBytes} ${file.modifiedAtMs}`;
    now.set(name, version);
    return seen.get(name) === version;
  };
  try {
    onRound(await importer.run({ paths: [path], dryRun: false, signal, isKnown }));
    for (const [name, version] of now) seen.set(name, version);
  } catch (error) {
    if (signal.aborted) return;
    if (!isAppError(error)) throw error;
    // The tool may have deleted all its sessions.
    const wasRead = [...seen.keys()].some((name) => isInside(path, name));
    if (!wasRead || error.code !== 'VALIDATION_ERROR') onError(error);
  }
}
