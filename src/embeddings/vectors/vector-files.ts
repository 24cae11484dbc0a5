/**
 * Vectors on disk: a folder a model, in it files that are written once, whole, and never changed: a line
 * of JSON (format, model, width, count, SHA-256 of what follows), then keys, scales and rows. A file that
 * is damaged, or of another model, is removed and its vectors are computed again. Small files are merged.
 */
import { join } from 'node:path';
import { randomHex, sha256Hex } from '../../base/ids.js';
import { atomicWrite, makeFolder } from '../../files/atomic/atomic-write.js';
import { sweepTemporaries } from '../../files/atomic/staging.js';
import { listFiles, listFolders, removeFile } from '../../files/paths/folders.js';
import { readWhole } from '../../files/read/json-doc.js';
import { asNumber, asRecord } from '../../providers/json-view.js';
import { KEY_BYTES, type Row } from './vector-table.js';

const FORMAT = 'daybook-vectors-1';
const NAME = /^[0-9a-f]{16}\.vectors$/;
const NEWLINE = 0x0a;
/** So many files are put together into one; reading a thousand small ones would slow a start down. */
const MOST_FILES = 24;
/** Larger ones are left as they are. */
const MOST_ROWS_TOGETHER = 100_000;

export interface VectorFile {
  readonly name: string;
  readonly rows: readonly Row[];
}

export class VectorFiles {
  readonly #folder: string;
  readonly #identity: string;
  readonly #read = new Set<string>();

  /** `folder`: of this model alone. `identity`: of the model. */
  constructor(folder: string, identity: string) {
    this.#folder = folder;
    this.#identity = identity;
  }

  /** What others wrote since the last call, file by file; and the number of files that were no good. */
  async *news(): AsyncGenerator<VectorFile | 'damaged'> {
    for (const name of await listFiles(this.#folder)) {
      if (!NAME.test(name) || this.#read.has(name)) continue;
      this.#read.add(name);
      const found = await readWhole(join(this.#folder, name));
      if (found === undefined) continue; // put together with others meanwhile
      const rows = parsed(found.bytes, this.#identity);
      if (rows === undefined) {
        await removeFile(join(this.#folder, name));
        yield 'damaged';
      } else yield { name, rows };
    }
  }

  /** One new file; durable when it resolves. To be called by the one process that holds the lease. */
  async write(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    await makeFolder(this.#folder, { fsync: false });
    const name = `${randomHex(8)}.vectors`;
    await atomicWrite(join(this.#folder, name), bytesOf(rows, this.#identity), { fsync: true });
    this.#read.add(name);
  }

  /**
   * Removes the vectors of texts that are no longer stored: a part of a text can be guessed from its
   * vector. Reads every file. To be called by the one process that holds the lease.
   */
  async forget(isWanted: (key: string) => boolean): Promise<void> {
    for (const name of await listFiles(this.#folder)) {
      const found = NAME.test(name) ? await readWhole(join(this.#folder, name)) : undefined;
      const rows = found && parsed(found.bytes, this.#identity);
      const wanted = rows?.filter(({ key }) => isWanted(key));
      if (rows === undefined || wanted === undefined || wanted.length === rows.length) continue;
      await this.write(wanted);
      await removeFile(join(this.#folder, name));
    }
  }

  /** Puts small files together where there are many, and drops what `isWanted` says no to. */
  async tidy(isWanted: (key: string) => boolean): Promise<void> {
    await sweepTemporaries(this.#folder);
    const names = (await listFiles(this.#folder)).filter((name) => NAME.test(name));
    if (names.length <= MOST_FILES) return;
    const together: string[] = [];
    const rows = new Map<string, Row>();
    for (const name of names) {
      const found = await readWhole(join(this.#folder, name));
      const existing = found && parsed(found.bytes, this.#identity);
      if (existing === undefined || existing.length + rows.size > MOST_ROWS_TOGETHER) continue;
      for (const row of existing) if (isWanted(row.key)) rows.set(row.key, row);
      together.push(name);
    }
    await this.write([...rows.values()]);
    for (const name of together) await removeFile(join(this.#folder, name));
  }
}

/** What the files of one model hold. */
export interface VectorFolder {
  readonly path: string;
  /** Of the model; the same in all files of the folder. */
  readonly identity: string;
  readonly keys: ReadonlySet<string>;
  readonly files: number;
  /** Paths of files that are not what was written. */
  readonly damaged: readonly string[];
}

/** Reads every file of vectors below `folder`, which holds a folder a model. FILESYSTEM_ERROR. */
export async function* checkVectors(folder: string): AsyncGenerator<VectorFolder> {
  for (const model of await listFolders(folder)) {
    const keys = new Set<string>();
    const damaged: string[] = [];
    let identity = '';
    const names = (await listFiles(join(folder, model))).filter((name) => NAME.test(name));
    for (const name of names) {
      const path = join(folder, model, name);
      const found = await readWhole(path);
      if (found === undefined) continue;
      const rows = parsed(found.bytes);
      if (rows === undefined) damaged.push(path);
      else
        identity = String(headOf(found.bytes.subarray(0, found.bytes.indexOf(NEWLINE)))['model']);
      for (const { key } of rows ?? []) keys.add(key);
    }
    yield { path: join(folder, model), identity, keys, files: names.length, damaged };
  }
}

function bytesOf(rows: readonly Row[], model: string): Buffer {
  const width = rows[0]?.values.length ?? 0;
  const keys = Buffer.concat(rows.map(({ key }) => Buffer.from(key, 'hex')));
  const scales = Buffer.alloc(rows.length * 4);
  for (const [at, { scale }] of rows.entries()) scales.writeFloatLE(scale, at * 4);
  const values = Buffer.concat(
    rows.map(({ values: row }) => Buffer.from(row.buffer, row.byteOffset, width)),
  );
  const body = Buffer.concat([keys, scales, values]);
  const head = { format: FORMAT, model, width, count: rows.length, sha256: sha256Hex(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
}

/** `undefined` where the file is damaged, or of another model than the one that is named. */
function parsed(bytes: Buffer, model?: string): Row[] | undefined {
  const end = bytes.indexOf(NEWLINE);
  const head = headOf(bytes.subarray(0, Math.max(0, end)));
  const [width, count] = [asNumber(head['width']) ?? 0, asNumber(head['count']) ?? 0];
  const body = bytes.subarray(end + 1);
  const isSound =
    head['format'] === FORMAT &&
    (model === undefined || head['model'] === model) &&
    width > 0 &&
    body.byteLength === count * (KEY_BYTES + 4 + width) &&
    head['sha256'] === sha256Hex(body);
  if (!isSound) return undefined;
  const [scalesAt, rowsAt] = [count * KEY_BYTES, count * (KEY_BYTES + 4)];
  return Array.from({ length: count }, (_, at) => ({
    key: body.toString('hex', at * KEY_BYTES, (at + 1) * KEY_BYTES),
    scale: body.readFloatLE(scalesAt + at * 4),
    values: new Int8Array(body.buffer, body.byteOffset + rowsAt + at * width, width),
  }));
}

function headOf(line: Buffer): Record<string, unknown> {
  try {
    return asRecord(JSON.parse(line.toString()));
  } catch {
    return {}; // damaged
  }
}
