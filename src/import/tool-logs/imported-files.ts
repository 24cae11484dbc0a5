/**
 * Which versions of log files servers have imported, kept in the user's cache folder between their runs: without
 * it, each start of a server reads all logs of a tool again, which can be gigabytes.
 */
import { decodeArrays, encodeArrays } from '../../base/arrays/array-codec.js';
import { sha256Hex } from '../../base/ids.js';
import { isRecord } from '../../base/json-fields.js';
import { VERSION } from '../../base/version.js';
import { type CacheFile, readCache, writeCache } from '../../search/cache/cache-file.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ImporterOptions } from '../importer.js';

/** By path of the file: its version. */
export type FileVersions = Map<string, string>;

type ImportSettings = Pick<ImporterOptions, 'activity' | 'excluded'>;

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
   * Empty if the file is missing or damaged, or if the store, the settings or Daybook itself is not as it was at
   * `save`: after a restore, for example, the logs must be read again. Never throws for a cache that cannot be read.
   */
  async load(): Promise<FileVersions> {
    const state = await this.#state();
    let files: FileVersions = new Map();
    await readCache(this.#options, async (chunks) => {
      for await (const chunk of chunks) {
        const meta = decodeArrays(chunk)?.meta;
        if (!isRecord(meta) || meta['state'] !== state) return;
        files = new Map(meta['files'] as [string, string][]); // the checksum proves that `save` wrote it
      }
    });
    return files;
  }

  /** Not durable. A failure is logged. */
  async save(files: ReadonlyMap<string, string>): Promise<void> {
    const meta = { state: await this.#state(), files: [...files] };
    await writeCache(this.#options, [encodeArrays(meta, {})]);
  }

  /** Changes with each import, and with each imported conversation that is added or removed in another way. */
  async #state(): Promise<string> {
    const { conversations, settings } = this.#options;
    const sources = (await conversations.list()).flatMap(({ metadata }) =>
      isRecord(metadata?.['source']) ? [JSON.stringify(metadata['source'])] : [],
    );
    const { activity, excluded } = settings;
    return sha256Hex(JSON.stringify([VERSION, activity, excluded, sources.sort()]));
  }
}
