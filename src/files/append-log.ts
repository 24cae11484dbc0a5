/**
 * An append-only log of JSON lines, each with its own checksum: `<checksum> <json>`.
 * Every line is written with a *leading* newline, so that the torn tail of a crash spoils only
 * itself and never the next line. Appends that wait for the same log are written and synced together.
 *
 * Appends cannot be fenced by a rename, so replaying must be idempotent: a line may come twice or
 * late. What the lines mean is the store's business.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import { type Durability, FILE_MODE, syncFolder, unconfirmed } from './atomic-write.js';
import type { Codec } from './codec.js';
import { reporting } from './file-errors.js';
import { type HeldLock, withLock } from './file-lock.js';
import { GroupCommit } from './group-commit.js';
import { readWhole } from './json-doc.js';
import { isSameFile, readStamp, type Stamp, stampOf } from './stamp.js';

/** 64 bits of SHA-256: enough against accidents, short enough to read past. */
const CHECKSUM_LENGTH = 16;
const LINE = /^([0-9a-f]{16}) (.*)$/s;
const MAX_ATTEMPTS = 10;

export interface AppendLogOptions extends Durability {
  path: string;
  locksFolder: string;
  /** Names the lock, and binds sealed lines to this log wherever its folder is moved. */
  name: string;
  codec: Codec;
}

export interface LogContent {
  /** The values of all sound lines, oldest first. */
  entries: unknown[];
  /** Lines that are not believed: a wrong checksum or no JSON. `line` counts from 1. */
  damaged: { line: number; text: string }[];
  /** True where the last line is damaged: what a crash in the middle of an append leaves. */
  hasTornTail: boolean;
}

export class AppendLog {
  readonly #options: AppendLogOptions;
  readonly #commits: GroupCommit<string, undefined>;
  /** The file whose name we know to be on disk: another process may have died before it synced it. */
  #durableFile: Stamp | undefined;

  constructor(options: AppendLogOptions) {
    this.#options = options;
    this.#commits = new GroupCommit(async (lines) => {
      await this.#write(lines.join(''));
      return lines.map(() => ({ value: undefined }));
    });
  }

  /**
   * Resolves when the entry is on disk (synced, unless `fsync` is off). Order of calls is kept.
   * After an error with `details.unconfirmed` the entry may be there all the same; else at most a
   * torn line is. STORAGE_FULL, FILESYSTEM_ERROR, LOCKED.
   */
  async append(entry: unknown): Promise<void> {
    await this.#commits.add(encodeLine(entry, this.#options));
  }

  /** What is on disk now; an absent log is empty. */
  async read(): Promise<LogContent> {
    const found = await readWhole(this.#options.path);
    // Not Buffer.toString, which keeps the byte-order mark that some editors put in.
    const text = found === undefined ? '' : new TextDecoder().decode(found.bytes);
    return parseLog(text, this.#options);
  }

  async #write(text: string): Promise<void> {
    const { path, locksFolder, name } = this.#options;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const isSafe = await withLock(locksFolder, name, (lock) =>
        reporting('append to', path, () => this.#writeOnce(text, lock)),
      );
      if (isSafe) return;
    }
    throw new AppError('LOCKED', `${path} was replaced during every one of ${MAX_ATTEMPTS} tries.`);
  }

  /** False where the lock or the file was taken away meanwhile: the lines must be written again. */
  async #writeOnce(text: string, lock: HeldLock): Promise<boolean> {
    const { path } = this.#options;
    const isNew = (await readStamp(path)) === undefined;
    const handle = await open(path, 'a', FILE_MODE);
    try {
      if (isNew) await handle.chmod(FILE_MODE);
      await writeFully(handle, Buffer.from(text), path);
    } catch (error) {
      await handle.close().catch(() => undefined); // the first error says more
      throw error;
    }
    try {
      return await this.#confirm(handle, lock);
    } catch (error) {
      throw unconfirmed(path, error);
    }
  }

  async #confirm(handle: FileHandle, lock: HeldLock): Promise<boolean> {
    const { path, fsync } = this.#options;
    let written: Stamp;
    try {
      if (fsync) await handle.sync();
      written = stampOf(await handle.stat({ bigint: true }));
    } finally {
      await handle.close();
    }
    if (this.#durableFile === undefined || !isSameFile(this.#durableFile, written)) {
      await syncFolder(dirname(path), this.#options);
      this.#durableFile = written;
    }
    const named = await readStamp(path);
    return named !== undefined && isSameFile(named, written) && (await lock.isOurs());
  }
}

/** A short write is an error here: on a full disk the rest would never come. */
async function writeFully(handle: FileHandle, bytes: Buffer, path: string): Promise<void> {
  const { bytesWritten } = await handle.write(bytes, 0, bytes.byteLength);
  if (bytesWritten === bytes.byteLength) return;
  // The torn line stays: it is harmless, and cutting it off could take away the lines of a process
  // that took the lock over meanwhile.
  throw new AppError(
    'STORAGE_FULL',
    `Only ${bytesWritten} of ${bytes.byteLength} bytes fitted on the disk for ${path}.`,
    { details: { path } },
  );
}

function encodeLine(entry: unknown, { codec, name }: AppendLogOptions): string {
  const payload = codec.seal(JSON.stringify(entry), name);
  return `\n${checksum(payload)} ${payload}`;
}

function parseLog(text: string, options: AppendLogOptions): LogContent {
  const content: LogContent = { entries: [], damaged: [], hasTornTail: false };
  const lines = text.split('\n');
  for (const [index, raw] of lines.entries()) {
    // A power cut can leave zeros where a line was being added, its leading newline with it: what is
    // in front of them is the sound line before. No line of ours holds a zero.
    const [line = '', ...zeroed] = (raw.endsWith('\r') ? raw.slice(0, -1) : raw).split('\0');
    const entry = line === '' ? undefined : parseLine(line, options);
    if (entry !== undefined) content.entries.push(entry.value);
    else if (line !== '') content.damaged.push({ line: index + 1, text: line });
    if (zeroed.length > 0) content.damaged.push({ line: index + 1, text: zeroed.join('') });
  }
  content.hasTornTail = content.damaged.at(-1)?.line === lines.length;
  return content;
}

function parseLine(
  line: string,
  { codec, name }: AppendLogOptions,
): { value: unknown } | undefined {
  const [, sum, payload = ''] = LINE.exec(line) ?? [];
  if (sum === undefined || sum !== checksum(payload)) return undefined;
  try {
    return { value: JSON.parse(codec.open(payload, name)) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function checksum(payload: string): string {
  return sha256Hex(payload).slice(0, CHECKSUM_LENGTH);
}
