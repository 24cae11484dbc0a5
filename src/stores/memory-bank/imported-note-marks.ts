/**
 * Which notes an import wrote, and with which text: `imported-notes.json` in the logs folder
 * (docs/FORMAT.md). It shows the next import whether a note was changed here since. Only a process that
 * has the lease of imports writes the file.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { atomicWrite, type Durability } from '../../files/atomic/atomic-write.js';
import { readJsonIfSound, renderDocument } from '../../files/read/json-document.js';

/** Hashes (`hashOf`) of the text in the source, and of the note as the import wrote it. */
const markSchema = z.object({
  source: z.string(),
  stored: z.string(),
  /** The folder or the id in the source from which it came. */
  origin: z.string().optional(),
  /** ISO 8601: the time of the file in the source. */
  updatedAt: z.string().optional(),
});
export type ImportedNoteMark = z.output<typeof markSchema>;

const schema = z.object({ notes: z.record(z.string(), markSchema) });

export interface ImportedNotesOptions extends Durability {
  readonly logsFolder: string;
}

export class ImportedNotes {
  readonly #options: ImportedNotesOptions;
  readonly #path: string;

  constructor(options: ImportedNotesOptions) {
    this.#options = options;
    this.#path = join(options.logsFolder, 'imported-notes.json');
  }

  /** Returns the marks by path of the note; none if the file is absent or not valid. FILESYSTEM_ERROR. */
  async read(): Promise<Map<string, ImportedNoteMark>> {
    const { data } = schema.safeParse(await readJsonIfSound(this.#path));
    return new Map(Object.entries(data?.notes ?? {}));
  }

  /** Replaces the file. Durable when it resolves. STORAGE_FULL, FILESYSTEM_ERROR. */
  async write(marks: ReadonlyMap<string, ImportedNoteMark>): Promise<void> {
    const bytes = renderDocument({ formatVersion: 1, notes: Object.fromEntries(marks) });
    await atomicWrite(this.#path, bytes, this.#options);
  }
}
