/**
 * Imports into the stores of one root, for the command and the tool. run-import.ts does the work, and
 * detect-source.ts finds the format.
 */
import { AppError } from '../base/errors.js';
import { realInputPath } from '../files/input/input.js';
import { isInside } from '../files/paths/path-confinement.js';
import type { ImportProgress, ImportReport, ImportRequest, ImportStores } from './import-types.js';
import type { Activity } from './source-interface.js';
import {
  type DefaultLocation,
  findDefaultLocations,
  type Machine,
} from './tool-logs/default-locations.js';

export interface ImporterOptions extends ImportStores {
  readonly machine: Machine;
  /** How much of the tools' activity is stored, unless a request says otherwise. */
  readonly activity: Activity;
  /** Kinds of locations that servers watch. */
  readonly watched: readonly DefaultLocation['kind'][];
  /** Real paths of the folders from which callers over the network may import. */
  readonly folders: readonly string[];
  /** See `Choice.excluded`. */
  readonly excluded: readonly string[];
}

/** What is imported from the paths, and how. */
export type ImportChoice = Pick<ImportRequest, 'from' | 'since' | 'project' | 'attachments'> & {
  readonly activity?: Activity | undefined;
};

export class Importer {
  readonly #options: ImporterOptions;

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  /** See `runImport`, which is loaded at the first import: most starts import nothing. */
  async run(request: Omit<ImportRequest, 'activity'> & { activity?: Activity | undefined }) {
    const { activity = this.#options.activity, ...others } = request;
    const { excluded } = this.#options;
    const { runImport } = await import('./run-import.js');
    return runImport(this.#options, { ...others, activity, excluded });
  }

  /**
   * Returns the real path for a path from a caller over the network. VALIDATION_ERROR if it is missing or
   * outside the folders of `DAYBOOK_IMPORT_FOLDERS`; the error is the same, so that the caller cannot test
   * which paths exist.
   */
  async pathForRemote(path: string): Promise<string> {
    const real = await realInputPath(path);
    const { folders } = this.#options;
    if (real !== undefined && folders.some((folder) => isInside(real, folder))) return real;
    throw new AppError('VALIDATION_ERROR', 'Callers over HTTP cannot import from this path.', {
      hint:
        folders.length === 0
          ? 'Give the export as text, run daybook import on the machine of the server, or add the folder to DAYBOOK_IMPORT_FOLDERS.'
          : `Give a path inside one of these folders: ${folders.join(', ')}.`,
      details: { field: 'path' },
    });
  }

  /** Locations on this machine where tools store what can be imported. */
  locations(): Promise<DefaultLocation[]> {
    return findDefaultLocations(this.#options.machine);
  }

  /** Locations that servers import continuously (`DAYBOOK_IMPORT_WATCH`); empty if nothing is watched. */
  async watched(): Promise<DefaultLocation[]> {
    const { watched } = this.#options;
    return (await this.locations()).filter(({ kind }) => watched.includes(kind));
  }
}

export type { ImportProgress, ImportReport, ImportRequest };
