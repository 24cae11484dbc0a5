/**
 * Files that the page uploads for an import. Each file is in a private folder outside the store for at
 * most `LIFETIME_MS`; `import_conversations` reads it by the path that `take` returned.
 */
import type { IncomingMessage } from 'node:http';
import { type TemporaryFile, writeTemporaryFile } from '../../../files/input/temporary-file.js';
import { limitedBody } from '../request-body.js';

/** An export of several years has some hundred megabytes. */
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_UPLOADS = 3;
const LIFETIME_MS = 15 * 60_000;
/** In every script at most 240 bytes of UTF-8; file systems allow 255. */
const MAX_NAME_LENGTH = 80;

export class PageUploads {
  readonly #uploads = new Map<string, { file: TemporaryFile; timer: NodeJS.Timeout }>();
  #isClosed = false;

  /** Stores the body of a request. A fourth file removes the oldest. Throws HttpError 413. */
  async take(name: string, req: IncomingMessage): Promise<{ path: string; sizeBytes: number }> {
    const tooLarge = `The file is larger than ${MAX_BYTES / 1024 / 1024} MB. To import it, run daybook import in a terminal.`;
    const body = limitedBody(req, MAX_BYTES, tooLarge);
    const file = await writeTemporaryFile(plainName(name), body);
    const { path, sizeBytes } = file;
    // If the file cannot be removed, the system removes it with its other temporary files.
    const expire = () => void this.remove(path).catch(() => undefined);
    this.#uploads.set(path, { file, timer: setTimeout(expire, LIFETIME_MS).unref() });
    const [oldest] = this.#uploads.keys();
    if (this.#uploads.size > MAX_UPLOADS && oldest !== undefined) await this.remove(oldest);
    if (this.#isClosed) await this.remove(path);
    return { path, sizeBytes };
  }

  /** True if `path` is an uploaded file that was not removed. */
  has(path: unknown): boolean {
    return typeof path === 'string' && this.#uploads.has(path);
  }

  /** Removes an uploaded file. An unknown path is ignored. */
  async remove(path: string): Promise<void> {
    const upload = this.#uploads.get(path);
    this.#uploads.delete(path);
    clearTimeout(upload?.timer);
    await upload?.file.remove();
  }

  /** Removes all files. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const path of [...this.#uploads.keys()]) await this.remove(path);
  }
}

/** The last part of a path, with only the characters that all systems allow in file names. */
function plainName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  const plain = last.replace(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^[. ]+|[. ]+$/g, '');
  return plain.slice(-MAX_NAME_LENGTH).replace(/^[. ]+/, '') || 'export';
}
