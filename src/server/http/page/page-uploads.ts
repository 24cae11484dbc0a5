/**
 * Exports that the page hands over for an import. Each is kept outside of the store in a private folder,
 * a few minutes at most; `import_conversations` reads it there by the path that the page received.
 */
import type { IncomingMessage } from 'node:http';
import { type ReceivedFile, receiveFile } from '../../../files/input/received-file.js';
import { HttpError } from '../http-error.js';

/** Exports of years are some hundred megabytes. */
const MAX_BYTES = 512 * 1024 * 1024;
const MOST = 3;
const KEPT_MS = 15 * 60_000;
const LONGEST_NAME = 120;

export interface UploadLimits {
  readonly maxBytes: number;
  readonly lifetimeMs: number;
}

export class PageUploads {
  readonly #limits: UploadLimits;
  readonly #uploads = new Map<string, { file: ReceivedFile; timer: NodeJS.Timeout }>();
  #isClosed = false;

  constructor(limits: Partial<UploadLimits> = {}) {
    this.#limits = { maxBytes: MAX_BYTES, lifetimeMs: KEPT_MS, ...limits };
  }

  /** Keeps the body of a request. The oldest is removed for a fourth. HttpError 413. */
  async take(name: string, req: IncomingMessage): Promise<{ path: string; sizeBytes: number }> {
    const { maxBytes, lifetimeMs } = this.#limits;
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const file = await receiveFile(plainName(name), bounded(req, maxBytes));
    const { path, sizeBytes } = file;
    this.#uploads.set(path, {
      file,
      timer: setTimeout(() => void this.remove(path), lifetimeMs).unref(),
    });
    const [oldest] = this.#uploads.keys();
    if (this.#uploads.size > MOST && oldest !== undefined) await this.remove(oldest);
    if (this.#isClosed) await this.remove(path);
    return { path, sizeBytes };
  }

  /** Whether this path was handed over here and is still kept. */
  has(path: unknown): boolean {
    return typeof path === 'string' && this.#uploads.has(path);
  }

  /** Nothing happens for another path. */
  async remove(path: string): Promise<void> {
    const upload = this.#uploads.get(path);
    this.#uploads.delete(path);
    clearTimeout(upload?.timer);
    await upload?.file.remove();
  }

  /** Removes all of them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const path of [...this.#uploads.keys()]) await this.remove(path);
  }
}

async function* bounded(req: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  // Leaving the loop must not destroy the connection: the error is sent over it.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

/** The last part of a name, of characters that every system allows. */
function plainName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  const plain = last.replace(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^[. ]+|[. ]+$/g, '');
  return plain.slice(-LONGEST_NAME).replace(/^[. ]+/, '') || 'export';
}

const tooLarge = (maxBytes: number) =>
  new HttpError(
    413,
    `The file is larger than ${maxBytes / 1024 / 1024} MB. To import it, run daybook import in a terminal.`,
  );
