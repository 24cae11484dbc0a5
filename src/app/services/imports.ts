/** Opens the importer. */
import type { Config } from '../../config/config.js';
import type { ImportStores } from '../../import/import-types.js';
import { Importer } from '../../import/importer.js';
import { ImportedNotes } from '../../stores/memory-bank/imported-note-marks.js';

export function importerOf(
  { logsDir: logsFolder, imports, variable, fsync }: Config,
  stores: Omit<ImportStores, 'logsFolder' | 'importedNotes'>,
): Importer {
  const { home, programs, ...options } = imports;
  const machine = { home, programs, variable };
  const importedNotes = new ImportedNotes({ logsFolder, fsync });
  return new Importer({
    ...stores,
    importedNotes,
    logsFolder,
    machine,
    ...options,
  });
}
