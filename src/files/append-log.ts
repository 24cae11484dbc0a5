/**
 * An append-only log of JSON lines, each with its own checksum: `<checksum> <json>`.
 * Every line is written with a *leading* newline, so that the torn tail of a crash spoils only
 * itself and never the next line. Appends that wait for the same log are written and synced together.
 *
 * Appends cannot be fenced by a rename, so replaying must be idempotent: a line may come twice or
 * late. What the lines mean is the store's business.
 */
import { AppError } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import type { Durability } from './atomic-write.js';
import type { Codec } from './codec.js';
import { withLock } from './file-lock.js';
import { GroupCommit } from './group-commit.js';
import { AppendEnd } from './growing-file.js';
import { readWhole } from './json-doc.js';

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
  readonly #end: AppendEnd;

  constructor(options: AppendLogOptions) {
    this.#options = options;
    this.#end = new AppendEnd(options.path, options);
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
      const isSafe = await withLock(locksFolder, name, async (lock) => {
        try {
          return (await this.#end.append(Buffer.from(text), lock)) !== undefined;
        } finally {
          this.#end.close();
        }
      });
      if (isSafe) return;
    }
    throw new AppError('LOCKED', `${path} was replaced during every one of ${MAX_ATTEMPTS} tries.`);
  }
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
