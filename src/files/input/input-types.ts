/** What an import reads, as every kind of input shows it: a list of files with names relative to it. */

export interface InputFile {
  /** Relative to the input, with `/`. */
  readonly name: string;
  /** Uncompressed. */
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  /** Absolute path where it is a file on the disk; absent inside an archive. */
  readonly diskPath?: string;
  /** Its bytes, uncompressed. FILESYSTEM_ERROR, PATH_ESCAPE, CORRUPT (a damaged archive). */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface RefusedFile {
  readonly name: string;
  readonly reason: string;
}

export interface Input {
  /** As it was given. */
  readonly path: string;
  readonly form: 'file' | 'folder' | 'zip';
  /** Sorted by name. */
  readonly files: readonly InputFile[];
  /** Links and other things that are there and are not read. */
  readonly refused: readonly RefusedFile[];
  close(): Promise<void>;
}
