/**
 * What a backup contains: every file of the root's folders that is data, single files that lie
 * elsewhere, and at the end a list of all of them with their SHA-256, by which the archive can always
 * be checked. Each file is read once, as a whole; files are replaced as a whole, so each one existed at some moment.
 */
import { z } from 'zod';
import { AppError, isAppError } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import { type ArchiveFile, readArchive } from '../files/archive.js';
import { parseDocument, readStored } from '../files/read/json-doc.js';
import { type ListedFile, listFiles } from '../files/read/list-files.js';

/** One folder of the root under the name it has in archives, wherever it lies on this machine. */
export interface BackupArea {
  readonly name: string;
  readonly folder: string;
}

/** One file outside the folders of the root, under the name that it has in archives. */
export interface SingleFile {
  readonly name: string;
  /** Absolute. A missing file is skipped. */
  readonly path?: string;
  /** The content, if it is not that of a file; `undefined`: there is nothing to archive. */
  readonly text?: () => Promise<string | undefined>;
}

export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

/** The last entry of every archive; at the top, beside the areas. */
export const CONTENTS_NAME = 'daybook-backup.json';
const FORMAT = 'daybook-backup';
const CONTENTS_VERSION = 1;
/** Files that moved while they were listed are found by listing again. */
const MAX_PASSES = 3;
/** Scaffolding of running processes, and git's own store, which cannot be copied file by file. */
const NO_DATA = new Set(['.locks', '.leases', '.git']);

const contentsSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number().int(),
  createdAt: z.string(),
  files: z.array(z.object({ name: z.string(), sizeBytes: z.number(), sha256: z.string() })),
});
export type BackupContents = z.output<typeof contentsSchema>;

export interface Gathering {
  readonly areas: readonly BackupArea[];
  readonly singleFiles: readonly SingleFile[];
  readonly createdAt: string;
  /** Never archived, such as the folder of the backups themselves. */
  readonly exceptPath: string;
  readonly signal?: AbortSignal | undefined;
  onFile?(count: number): void;
}

/** The files for one archive, and afterwards what was in them. */
export class BackupFiles {
  readonly files: { name: string; sizeBytes: number; sha256: string }[] = [];
  readonly leftOut: LeftOut[] = [];
  readonly #gathering: Gathering;
  readonly #seen = new Set<string>();

  constructor(gathering: Gathering) {
    this.#gathering = gathering;
  }

  /** Once only. Ends with the list of contents. */
  async *read(): AsyncGenerator<ArchiveFile> {
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      const before = this.#seen.size;
      // Logs first: a snapshot that is younger than its log only sees operations twice; one that is
      // older would miss the operations that a compaction removed from the log in between.
      for (const isWanted of [(name: string) => name.endsWith('.log'), () => true]) {
        for (const area of this.#gathering.areas) yield* this.#readArea(area, isWanted);
        yield* this.#readSingleFiles(isWanted);
      }
      if (this.#seen.size === before) break;
    }
    const { createdAt } = this.#gathering;
    const { files, leftOut } = this;
    const contents = { format: FORMAT, version: CONTENTS_VERSION, createdAt, files, leftOut };
    const bytes = Buffer.from(`${JSON.stringify(contents, null, 1)}\n`);
    yield { name: CONTENTS_NAME, bytes, modifiedMs: Date.parse(createdAt) };
  }

  async *#readArea(
    { name: area, folder }: BackupArea,
    isWanted: (name: string) => boolean,
  ): AsyncGenerator<ArchiveFile> {
    const { exceptPath, singleFiles } = this.#gathering;
    const elsewhere = new Set([exceptPath, ...singleFiles.map(({ path }) => path)]);
    const isLeftOut = (name: string, path: string) =>
      NO_DATA.has(name) || /(^|\/)\.tmp-[^/]*$/.test(name) || elsewhere.has(path);
    for await (const file of listFiles(folder, isLeftOut)) {
      const name = `${area}/${file.name}`;
      if (isWanted(name)) yield* this.#once(name, () => this.#readOne(name, file));
    }
  }

  async *#readSingleFiles(isWanted: (name: string) => boolean): AsyncGenerator<ArchiveFile> {
    for (const { name, path, text } of this.#gathering.singleFiles) {
      if (!isWanted(name)) continue;
      yield* this.#once(name, () =>
        path === undefined
          ? this.#textOf(name, text)
          : this.#readOne(name, { path, isPlain: true }),
      );
    }
  }

  /** Yields the file unless an earlier pass did. */
  async *#once(
    name: string,
    read: () => Promise<ArchiveFile | undefined>,
  ): AsyncGenerator<ArchiveFile> {
    const { signal, onFile } = this.#gathering;
    signal?.throwIfAborted();
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    const file = await read();
    if (file === undefined) return;
    yield file;
    onFile?.(this.files.length);
  }

  #listed(name: string, bytes: Uint8Array, modifiedMs: number): ArchiveFile {
    this.files.push({ name, sizeBytes: bytes.byteLength, sha256: sha256Hex(bytes) });
    return { name, bytes, modifiedMs };
  }

  async #textOf(name: string, text: SingleFile['text']): Promise<ArchiveFile | undefined> {
    return this.#unlessUnreadable(name, async () => {
      const found = await text?.();
      const modifiedMs = Date.parse(this.#gathering.createdAt);
      return found === undefined ? undefined : this.#listed(name, Buffer.from(found), modifiedMs);
    });
  }

  /** `undefined` for a file that was removed since, and for one that is named in `leftOut`. */
  async #readOne(
    name: string,
    { path, isPlain }: Pick<ListedFile, 'path' | 'isPlain'>,
  ): Promise<ArchiveFile | undefined> {
    if (!isPlain) {
      this.leftOut.push({
        name,
        reason: 'it is a link or not a regular file, or its name cannot be stored in an archive',
      });
      return undefined;
    }
    return this.#unlessUnreadable(name, async () => {
      const found = await readStored(path); // what is sealed stays so
      if (found === undefined) {
        this.#seen.delete(name);
        return undefined;
      }
      return this.#listed(name, found.bytes, Number(found.stamp.mtimeNs / 1_000_000n));
    });
  }

  /** Names what cannot be read in `leftOut`. */
  async #unlessUnreadable<T>(name: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.leftOut.push({ name, reason: error.message });
      return undefined;
    }
  }
}

/**
 * Reads an archive to its end and holds every file to the list. CORRUPT with what is wrong,
 * FORMAT_TOO_NEW, FILESYSTEM_ERROR.
 */
export async function checkArchive(
  path: string,
  signal?: AbortSignal,
  onFile?: (count: number) => void,
): Promise<BackupContents> {
  const found = new Map<string, string>();
  let contents: BackupContents | undefined;
  for await (const { name, bytes } of readArchive(path)) {
    signal?.throwIfAborted();
    if (name === CONTENTS_NAME) contents = parseContents(bytes, path);
    else if (found.has(name)) throw damaged(path, `${name} is in the archive twice`);
    else found.set(name, sha256Hex(bytes));
    onFile?.(found.size);
  }
  if (contents === undefined)
    throw damaged(path, `${CONTENTS_NAME}, its list of files, is missing`);
  for (const { name, sha256 } of contents.files) {
    const actual = found.get(name);
    if (actual === undefined) throw damaged(path, `${name} is missing`);
    if (actual !== sha256) throw damaged(path, `${name} has other content than the archived file`);
    found.delete(name);
  }
  const [extra] = found.keys();
  if (extra !== undefined) throw damaged(path, `${extra} is not in the list of files`);
  return contents;
}

function parseContents(bytes: Uint8Array, path: string): BackupContents {
  const parsed = contentsSchema.safeParse(parseDocument(bytes, CONTENTS_NAME, 'CORRUPT'));
  if (!parsed.success) throw damaged(path, `${CONTENTS_NAME} is not a list of files`);
  const { version } = parsed.data;
  if (version <= CONTENTS_VERSION) return parsed.data;
  throw new AppError(
    'FORMAT_TOO_NEW',
    `A newer version of Daybook made ${path} (format ${version}).`,
    {
      details: { path, version },
    },
  );
}

function damaged(path: string, problem: string): AppError {
  return new AppError('CORRUPT', `The backup ${path} is damaged or was changed: ${problem}.`, {
    hint: 'Nothing was restored. Use another backup.',
    details: { path, problem },
  });
}
