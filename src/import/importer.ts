/** Imports into the stores of one root, for the command and the tool. */
import { type ImportReport, type ImportRequest, type ImportStores, runImport } from './import.js';
import type { Activity } from './source.js';
import { foundPlaces, type Machine, type UsualPlace } from './usual-places.js';

export interface ImporterOptions extends ImportStores {
  readonly machine: Machine;
  /** How much of what machines did is kept, unless a request says otherwise. */
  readonly activity: Activity;
  /** Kinds of places that servers watch. */
  readonly watched: readonly UsualPlace['kind'][];
}

export class Importer {
  readonly #options: ImporterOptions;

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  /** See `runImport`. */
  run(request: Omit<ImportRequest, 'activity'> & { activity?: Activity | undefined }) {
    const { activity = this.#options.activity, ...others } = request;
    return runImport(this.#options, { ...others, activity });
  }

  /** Where tools on this machine keep what could be imported. FILESYSTEM_ERROR. */
  places(): Promise<UsualPlace[]> {
    return foundPlaces(this.#options.machine);
  }

  /** What servers take in as it grows (`DAYBOOK_IMPORT_WATCH`); empty where they watch nothing. */
  async watched(): Promise<UsualPlace[]> {
    const { watched } = this.#options;
    return (await this.places()).filter(({ kind }) => watched.includes(kind));
  }
}

export type { ImportReport };
