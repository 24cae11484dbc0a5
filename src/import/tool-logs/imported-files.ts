/**
 * Which versions of log files servers have imported, kept in the user's cache folder between their runs: without
 * it, each start of a server reads all logs of a tool again, which can be gigabytes.
 */
import { decodeArrays, encodeArrays } from '../../base/arrays/array-codec.js';
import { numberIn, objectIn, textIn } from '../../base/json-fields.js';
import { VERSION } from '../../base/version.js';
import { type CacheFile, readCache, writeCache } from '../../search/cache/cache-file.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ImporterOptions } from '../importer.js';

/** By path of the file: its version. */
export type FileVersions = Map<string, string>;

type ImportSettings = Pick<ImporterOptions, 'activity' | 'excluded' | 'watched'>;

export interface ImportedFilesOptions extends CacheFile {
  readonly conversations: ConversationStore;
  readonly settings: ImportSettings;
}

export class ImportedFiles {
  readonly #options: ImportedFilesOptions;

  constructor(options: ImportedFilesOptions) {
    this.#options = options;
  }

  /**
   * Empty if the file is missing or damaged, if the settings or Daybook itself are not as they were at `save`, or if
   * a conversation that was imported then is not in the store any more, or has fewer imported messages: after a
   * restore, for example, the logs must be read again. Never throws for a cache that cannot be read.
   */
  async load(): Promise<FileVersions> {
    let files: FileVersions = new Map();
    await readCache(this.#options, async (chunks) => {
      for await (const chunk of chunks) {
        // The checksum proves that `save` wrote it.
        const saved = decodeArrays(chunk)?.meta as Saved | undefined;
        if (saved?.settings !== this.#settings()) return;
        const now = await this.#counts();
        if (saved.counts.every(([source, count]) => (now.get(source) ?? -1) >= count))
          files = new Map(saved.files);
      }
    });
    return files;
  }

  /** Not durable. A failure is logged. */
  async save(files: ReadonlyMap<string, string>): Promise<void> {
    const counts = [...(await this.#counts())];
    const saved: Saved = { settings: this.#settings(), counts, files: [...files] };
    await writeCache(this.#options, [encodeArrays(saved, {})]);
  }

  #settings(): string {
    const { activity, excluded } = this.#options.settings;
    return JSON.stringify([VERSION, activity, excluded]);
  }

  /** By source of a watched tool: how many messages were imported from it. */
  async #counts(): Promise<ReadonlyMap<string, number>> {
    const { conversations, settings } = this.#options;
    const watched = new Set<unknown>(settings.watched);
    const counts = new Map<string, number>();
    for (const { metadata } of await conversations.list()) {
      const { kind, id, count } = objectIn(metadata?.['source']);
      if (watched.has(kind)) counts.set(`${kind} ${textIn(id)}`, numberIn(count) ?? 0);
    }
    return counts;
  }
}

interface Saved {
  readonly settings: string;
  readonly counts: readonly (readonly [source: string, count: number])[];
  readonly files: readonly (readonly [path: string, version: string])[];
}
