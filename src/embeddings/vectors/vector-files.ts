/**
 * Files of vectors, in one folder for each model. A file is written as a whole and never changed: one line
 * of JSON (format, model, width, count, SHA-256 of the rest), then keys, scales and rows. A file that is
 * damaged or belongs to another model is removed, and its vectors are computed again. Small files are
 * merged.
 */
import { join } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import { isAppError } from '../../base/errors.js';
import { randomHex, sha256Hex, sha256Stream } from '../../base/ids.js';
import { parsedJson } from '../../base/json.js';
import { isString, numberIn, objectIn } from '../../base/json-fields.js';
import { atomicWrite, makeFolder } from '../../files/atomic/atomic-write.js';
import { sweepTemporaries } from '../../files/atomic/staging.js';
import { type Lease, tryLease } from '../../files/locks/lease.js';
import { listFiles, listFolders, removeFile } from '../../files/paths/folders.js';
import { readWhole } from '../../files/read/whole-file.js';
import { KEY_BYTES, type Row } from './vector-table.js';

const FORMAT = 'daybook-vectors-1';
const NAME = /^[0-9a-f]{16}\.vectors$/;
const NEWLINE = 0x0a;
/** More files than this are merged, because many small files make a start slow. */
const MAX_FILES = 24;
/** A merged file has at most this many rows; larger files are not merged. */
const MAX_MERGED_ROWS = 100_000;
/** The SHA-256 of so many bytes takes about a millisecond. */
const HASHED_BYTES = 2 ** 19;

/** The folder of a model in the folder of all vectors. */
export const modelFolder = (folder: string, identity: string): string =>
  join(folder, sha256Hex(identity).slice(0, 16));

/** The lease of the process that makes and removes the vectors of all models; `undefined` if another has it. */
export const vectorsLease = (folder: string, signal?: AbortSignal): Promise<Lease | undefined> =>
  tryLease(join(folder, 'lease'), signal);

export interface VectorFile {
  readonly name: string;
  readonly rows: readonly Row[];
}

export class VectorFiles {
  readonly #folder: string;
  readonly #identity: string;
  readonly #read = new Set<string>();

  /** `folder` belongs to the model with this `identity` alone. */
  constructor(folder: string, identity: string) {
    this.#folder = folder;
    this.#identity = identity;
  }

  /** Yields the files that are new since the last call, and 'damaged' for each file that it removed. */
  async *readNewFiles(slice = new TimeSlice()): AsyncGenerator<VectorFile | 'damaged'> {
    for (const name of await listFiles(this.#folder)) {
      if (!NAME.test(name) || this.#read.has(name)) continue;
      const bytes = await bytesIn(join(this.#folder, name));
      this.#read.add(name); // not before: a file that could not be read now is read at the next call
      if (bytes === undefined) continue; // merged into another file in the meantime
      const rows = await parsed(bytes, this.#identity, slice);
      if (rows === undefined) {
        await removeFile(join(this.#folder, name));
        yield 'damaged';
      } else yield { name, rows };
    }
  }

  /** Writes one new file. Durable when it resolves. Only for the process that holds the lease. */
  async write(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    await makeFolder(this.#folder, { fsync: false });
    const name = `${randomHex(8)}.vectors`;
    const bytes = await bytesOf(rows, this.#identity);
    await atomicWrite(join(this.#folder, name), bytes, { fsync: true });
    this.#read.add(name);
  }

  /** Removes the files whose vectors have another width. Only for the process that holds the lease. */
  async removeOtherWidths(width: number): Promise<void> {
    for (const path of await pathsIn(this.#folder)) {
      const bytes = await bytesIn(path);
      if (bytes !== undefined && headOf(bytes)['width'] !== width) await removeFile(path);
    }
  }

  /**
   * Merges small files if there are more than MAX_FILES, without the vectors that are not wanted. Calls
   * `wantedKeys` only then.
   */
  async mergeSmallFiles(wantedKeys: () => Promise<ReadonlySet<string>>): Promise<void> {
    await sweepTemporaries(this.#folder);
    const paths = await pathsIn(this.#folder);
    if (paths.length <= MAX_FILES) return;
    const wanted = await wantedKeys();
    const together: string[] = [];
    const rows = new Map<string, Row>();
    let width: number | undefined;
    for (const path of paths) {
      const bytes = await bytesIn(path);
      const existing = bytes && (await parsed(bytes, this.#identity));
      if (existing === undefined || existing.length + rows.size > MAX_MERGED_ROWS) continue;
      // Two processes whose server had different models under one name can have written two widths.
      width ??= existing[0]?.values.length;
      if (existing[0]?.values.length !== width) continue;
      for (const row of await withKeys(existing, wanted)) rows.set(row.key, row);
      together.push(path);
    }
    await this.write([...rows.values()]);
    for (const path of together) await removeFile(path);
  }
}

/**
 * Removes vectors that are no longer wanted from the folder of one model, because parts of a deleted text can
 * be guessed from its vector. Reads every file. Only the process that holds the lease may call it.
 */
export async function removeUnwanted(
  folder: string,
  wantedKeys: ReadonlySet<string>,
): Promise<void> {
  for (const path of await pathsIn(folder)) {
    const bytes = await bytesIn(path);
    const rows = bytes && (await parsed(bytes));
    if (bytes === undefined || rows === undefined) continue;
    const wanted = await withKeys(rows, wantedKeys);
    if (wanted.length === rows.length) continue;
    await new VectorFiles(folder, String(headOf(bytes)['model'])).write(wanted);
    await removeFile(path);
  }
}

/** The content of the folder of one model. */
export interface VectorFolder {
  readonly path: string;
  readonly keys: ReadonlySet<string>;
  readonly files: number;
  /** Paths of files whose content does not match their SHA-256. */
  readonly damaged: readonly string[];
}

/** Reads every file of vectors; `folder` has one subfolder for each model. Throws FILESYSTEM_ERROR. */
export async function* checkVectors(folder: string): AsyncGenerator<VectorFolder> {
  for (const model of await listFolders(folder)) {
    const keys = new Set<string>();
    const damaged: string[] = [];
    const paths = await pathsIn(join(folder, model));
    for (const path of paths) {
      const bytes = await bytesIn(path);
      if (bytes === undefined) continue;
      const rows = await parsed(bytes);
      if (rows === undefined) damaged.push(path);
      for (const { key } of rows ?? []) keys.add(key);
    }
    yield { path: join(folder, model), keys, files: paths.length, damaged };
  }
}

/** The paths of the files of vectors in the folder of one model. */
const pathsIn = async (folder: string) =>
  (await listFiles(folder)).filter((name) => NAME.test(name)).map((name) => join(folder, name));

/**
 * Empty if the file cannot be decrypted: it is damaged, or an earlier store at this path had another key.
 * `undefined` if there is no such file.
 */
async function bytesIn(path: string): Promise<Buffer | undefined> {
  try {
    return (await readWhole(path))?.bytes;
  } catch (error) {
    if (isAppError(error, 'DECRYPT')) return Buffer.alloc(0);
    throw error;
  }
}

async function withKeys(rows: readonly Row[], keys: ReadonlySet<string>): Promise<Row[]> {
  const found: Row[] = [];
  const slice = new TimeSlice();
  for (const row of rows) {
    if (keys.has(row.key)) found.push(row);
    if (slice.isSpent()) await slice.yield();
  }
  return found;
}

async function bytesOf(rows: readonly Row[], model: string): Promise<Buffer> {
  const [width, count] = [rows[0]?.values.length ?? 0, rows.length];
  const body = Buffer.alloc(count * (KEY_BYTES + 4 + width));
  const [scalesAt, rowsAt] = [count * KEY_BYTES, count * (KEY_BYTES + 4)];
  const slice = new TimeSlice();
  for (const [at, { key, scale, values }] of rows.entries()) {
    body.write(key, at * KEY_BYTES, 'hex');
    body.writeFloatLE(scale, scalesAt + at * 4);
    body.set(values, rowsAt + at * width);
    if (slice.isSpent()) await slice.yield();
  }
  const head = { format: FORMAT, model, width, count, sha256: await hashOf(body, slice) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
}

/** `undefined` if the file is damaged, or belongs to another model than `model`. */
async function parsed(
  bytes: Buffer,
  model?: string,
  slice = new TimeSlice(),
): Promise<Row[] | undefined> {
  const end = bytes.indexOf(NEWLINE);
  const head = headOf(bytes);
  const [width, count] = [numberIn(head['width']) ?? 0, numberIn(head['count']) ?? 0];
  const body = bytes.subarray(end + 1);
  const isValid =
    head['format'] === FORMAT &&
    isString(head['model']) &&
    (model === undefined || head['model'] === model) &&
    [width, count].every(Number.isSafeInteger) &&
    width > 0 &&
    body.byteLength === count * (KEY_BYTES + 4 + width) &&
    head['sha256'] === (await hashOf(body, slice));
  if (!isValid) return undefined;
  const [scalesAt, rowsAt] = [count * KEY_BYTES, count * (KEY_BYTES + 4)];
  const rows: Row[] = [];
  for (let at = 0; at < count; at += 1) {
    rows.push({
      key: body.toString('hex', at * KEY_BYTES, (at + 1) * KEY_BYTES),
      scale: body.readFloatLE(scalesAt + at * 4),
      values: new Int8Array(body.buffer, body.byteOffset + rowsAt + at * width, width),
    });
    if (slice.isSpent()) await slice.yield();
  }
  return rows;
}

async function hashOf(bytes: Buffer, slice: TimeSlice): Promise<string> {
  const hash = sha256Stream();
  for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
    hash.update(bytes.subarray(at, at + HASHED_BYTES));
    if (slice.isSpent()) await slice.yield();
  }
  return hash.hex();
}

/** The first line as an object. Empty if the line is damaged. */
const headOf = (bytes: Buffer) =>
  objectIn(parsedJson(bytes.subarray(0, Math.max(0, bytes.indexOf(NEWLINE))).toString()));
