/**
 * Makes a vector for every passage of every conversation. It follows the changes of the store and embeds
 * new passages in batches in the background, with pauses that are longer while the machine is busy. New
 * vectors are written every ROWS_PER_FILE passages, so that little work is lost if the process ends. If
 * several processes use one folder, one of them makes vectors and the others read its files.
 */
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { TimeSlice } from '../base/async/time-slice.js';
import { type Clock, sleep } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { numberIn } from '../base/json-fields.js';
import type { Log } from '../base/log.js';
import { listFolders } from '../files/paths/folders.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { type Embedder, meanVector } from './embedder.js';
import { type MissingPassage, PassageRows, type PassageSplitter } from './passage-rows.js';
import { PassageTexts } from './passage-texts.js';
import { modelFolder, removeUnwanted, VectorFiles, vectorsLease } from './vectors/vector-files.js';
import { quantized, type Row, VectorTable } from './vectors/vector-table.js';

export interface EmbeddingSyncOptions {
  readonly conversations: ConversationStore;
  readonly open: () => Promise<Embedder>;
  /** The vectors of this logs folder, a subfolder for each model. It may be deleted at any time. */
  readonly folder: string;
  readonly splitPassages: PassageSplitter;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollIntervalMs?: number;
}

export interface EmbeddingProgress {
  readonly state: 'starting' | 'embedding' | 'ready' | 'failed';
  readonly model?: string;
  readonly embedded: number;
  readonly passages: number;
  /**
   * Number of files whose vectors are computed again: the files were damaged or belonged to another model.
   */
  readonly damagedFiles: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Small, because a question waits until the current batch is embedded. */
const PASSAGES_PER_BATCH = 8;
const ROWS_PER_FILE = 256;
const POLL_INTERVAL_MS = 5_000;
/** Pause after a server refused a request or could not be reached, unless it asks for a longer one. */
const PAUSE_AFTER_FAILURE_MS = 60_000;
const MAX_PAUSE_MS = 86_400_000;
/**
 * The pause after a batch is this factor times the duration of the batch. It limits the work to half a
 * core, and to less while the machine is busy.
 */
const PAUSE_FACTOR = { quiet: 1, busy: 4 };

export class EmbeddingSync {
  readonly #options: EmbeddingSyncOptions;
  readonly #texts: PassageTexts;
  readonly #closing = new AbortController();
  #rows = new PassageRows();
  #embedder: Embedder | undefined;
  #opening: Promise<Embedder> | undefined;
  #table: VectorTable | undefined;
  #files: VectorFiles | undefined;
  #unwritten: { readonly passage: MissingPassage; readonly row: Row }[] = [];
  #damagedFiles = 0;
  /** Vectors of deleted texts are removed once per process, because that reads every file. */
  #hasRemovedUnwanted = false;
  #hasReplacedAll = false;
  #failure: { code: string; message: string } | undefined;
  #pauseUntil = 0;
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopFollowing: (() => void) | undefined;
  #loading: Promise<void> | undefined;
  #isListed = false;

  constructor(options: EmbeddingSyncOptions) {
    this.#options = options;
    this.#texts = new PassageTexts(options.conversations, options.splitPassages);
  }

  /** Starts the work in the background and returns at once. */
  start(): void {
    const { pollIntervalMs = POLL_INTERVAL_MS } = this.#options;
    this.#follow();
    this.#timer = setInterval(() => this.#workOnce(), pollIntervalMs).unref();
    this.#workOnce();
  }

  /**
   * For a process that does not call `start`: reads the vectors on disk and follows the store, but makes no
   * vectors. A further call reads the files that other processes have written since. Throws what `open`
   * throws.
   */
  async load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  async #load(): Promise<void> {
    await this.#openOnce();
    this.#follow();
    await this.#readNewFiles();
    if (!this.#isListed) await this.#listAll();
  }

  /**
   * Makes all missing vectors without pauses. They are durable when the promise resolves. Throws LOCKED if
   * another process makes vectors, CANCELLED (the vectors made so far are kept), and what the model throws.
   */
  async embedAll(
    onProgress: (progress: EmbeddingProgress) => void,
    signal: AbortSignal,
  ): Promise<EmbeddingProgress> {
    signal.throwIfAborted();
    // The model may need minutes for its next answer.
    signal.addEventListener('abort', () => this.#closing.abort(), { once: true });
    try {
      await this.load();
      const isDone = await this.#embedMissing(async () => onProgress(this.progress));
      if (!isDone) {
        throw new AppError('LOCKED', 'Another Daybook process is making the vectors.', {
          hint: 'Wait until that process has finished. daybook doctor shows how many vectors are missing.',
        });
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
    return this.progress;
  }

  get progress(): EmbeddingProgress {
    const passages = this.#rows.count;
    const state = this.#failure !== undefined ? 'failed' : this.#state();
    return {
      state,
      ...(this.#embedder && { model: this.#embedder.model }),
      embedded: passages - this.#rows.missingPassages,
      passages,
      damagedFiles: this.#damagedFiles,
      ...(this.#failure && { error: this.#failure }),
    };
  }

  /**
   * The cosines between the mean vector of a question's variants and all vectors; `undefined` if the model
   * is not open or there are no vectors yet. Throws what `embed` throws.
   */
  async ask(variants: readonly string[], signal?: AbortSignal) {
    const [embedder, table] = [this.#embedder, this.#table];
    if (embedder === undefined || table === undefined || table.size === 0) return undefined;
    const vector = meanVector(await embedder.embed(variants, signal));
    if (vector?.length !== table.width) return undefined;
    return { rows: this.#rows, cosines: table.cosines(vector) };
  }

  get model(): string {
    return this.#embedder?.model ?? '';
  }

  /** Stops the work. When it resolves, the vectors made so far are durable. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopFollowing?.();
    this.#closing.abort();
    await this.#working;
    await this.#loading?.catch(() => undefined);
    await this.#embedder?.close();
  }

  #state(): EmbeddingProgress['state'] {
    if (!this.#isListed) return 'starting';
    return this.#rows.missingCount > 0 ? 'embedding' : 'ready';
  }

  #workOnce(): void {
    if (this.#closing.signal.aborted) return;
    this.#working ??= this.#work()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#working = undefined;
      });
  }

  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const { clock, log } = this.#options;
    log.warn({ err: error }, 'messages could not be embedded');
    this.#failure = isAppError(error)
      ? { code: error.code, message: error.message }
      : {
          code: 'INTERNAL',
          message: 'An internal error occurred. The log on stderr has the details.',
        };
    const asked = numberIn(isAppError(error) ? error.details?.['retryAfterMs'] : undefined) ?? 0;
    const pauseMs = Math.min(Math.max(PAUSE_AFTER_FAILURE_MS, asked), MAX_PAUSE_MS);
    this.#pauseUntil = clock.monotonic() + pauseMs;
  }

  async #work(): Promise<void> {
    if (this.#options.clock.monotonic() < this.#pauseUntil) return;
    await this.#openOnce();
    await this.#readNewFiles();
    if (!this.#isListed) await this.#listAll();
    const isDone = this.#rows.missingCount + this.#unwritten.length === 0;
    if (!isDone || !this.#hasRemovedUnwanted)
      await this.#embedMissing((tookMs) => this.#rest(tookMs));
    this.#failure = undefined;
  }

  #follow(): void {
    this.#stopFollowing ??= this.#options.conversations.followFromNow(
      ({ conversationId, document, unchangedMessages }) => {
        if (document === undefined) return this.#rows.delete(conversationId);
        const count = document.head.messageCount;
        this.#addMessages(
          conversationId,
          unchangedMessages,
          count,
          (seq) => document.message(seq)?.content,
        );
      },
    );
  }

  async #openOnce(): Promise<void> {
    if (this.#embedder !== undefined) return;
    this.#opening ??= this.#options.open();
    try {
      this.#embedder = await this.#opening;
    } finally {
      this.#opening = undefined;
    }
    this.#files = this.#openFiles(this.#embedder);
  }

  #openFiles({ identity }: Embedder): VectorFiles {
    return new VectorFiles(modelFolder(this.#options.folder, identity), identity);
  }

  /** Call it after the vectors on disk were read, so that few passages are missing. */
  async #listAll(): Promise<void> {
    const { conversations } = this.#options;
    const slice = this.#slice();
    for (const { conversationId } of await conversations.list()) {
      if (slice.isSpent()) await slice.yield();
      const contents = await this.#texts.contentsOf(conversationId);
      // If the conversation changed during the read, its change event has put or deleted it.
      const isPut = this.#rows.messagesOf(conversationId) > 0;
      if (isPut || conversations.knownHead(conversationId) === undefined) continue;
      this.#addMessages(conversationId, 0, contents.length, (seq) => contents[seq - 1]);
    }
    this.#isListed = true;
  }

  #slice(): TimeSlice {
    return new TimeSlice({ signal: this.#closing.signal, clock: this.#options.clock });
  }

  #addMessages(
    conversationId: string,
    unchanged: number,
    count: number,
    contentOf: (seq: number) => string | undefined,
  ): void {
    const keys: string[][] = [];
    const from = Math.min(unchanged, this.#rows.messagesOf(conversationId));
    for (let seq = from + 1; seq <= count; seq += 1)
      keys.push(this.#texts.keysOf(contentOf(seq) ?? ''));
    this.#rows.put(conversationId, from, keys, (key) => this.#table?.rowOf(key));
  }

  /** Reads files of vectors that earlier or other processes have written. */
  async #readNewFiles(): Promise<void> {
    const slice = this.#slice();
    for await (const file of this.#files?.readNewFiles(slice) ?? []) {
      if (file === 'damaged') {
        this.#damagedFiles += 1;
        this.#options.log.warn('a file of vectors was damaged; its vectors are computed again');
        continue;
      }
      for (const row of file.rows) {
        this.#addRow(row);
        if (slice.isSpent()) await slice.yield();
      }
    }
  }

  #addRow(row: Row): void {
    this.#table ??= new VectorTable(row.values.length);
    if (row.values.length !== this.#table.width) return;
    this.#rows.addRow(row.key, this.#table.add(row));
  }

  /** False if another process holds or took over the lease. `afterBatch` gets the duration of the batch. */
  async #embedMissing(afterBatch: (tookMs: number) => Promise<void>): Promise<boolean> {
    const lease = await vectorsLease(this.#options.folder, this.#closing.signal);
    if (lease === undefined) return false;
    try {
      await this.#readNewFiles();
      // Both first, because the model may fail.
      await this.#write();
      if (!this.#hasRemovedUnwanted) await this.#removeUnwanted();
      while (this.#rows.missingCount > 0 && lease.isHeld() && !this.#closing.signal.aborted) {
        const startedAt = this.#options.clock.monotonic();
        await this.#embedBatch();
        await afterBatch(this.#options.clock.monotonic() - startedAt);
      }
      const isDone = this.#rows.missingCount === 0;
      if (lease.isHeld()) await this.#files?.mergeSmallFiles(() => this.#rows.keys(this.#slice()));
      return isDone;
    } finally {
      await this.#write().finally(() => lease.release());
    }
  }

  async #removeUnwanted(): Promise<void> {
    const { folder } = this.#options;
    const wanted = await this.#rows.keys(this.#slice());
    for (const model of await listFolders(folder))
      await removeUnwanted(join(folder, model), wanted);
    this.#hasRemovedUnwanted = true;
  }

  async #rest(tookMs: number): Promise<void> {
    const isBusy = (loadavg()[0] ?? 0) > availableParallelism();
    const pauseMs = tookMs * (isBusy ? PAUSE_FACTOR.busy : PAUSE_FACTOR.quiet);
    await sleep(pauseMs, this.#closing.signal).catch(() => undefined);
  }

  async #embedBatch(): Promise<void> {
    const batch: { passage: MissingPassage; text: string }[] = [];
    for (const passage of this.#rows.missing(PASSAGES_PER_BATCH)) {
      const text = await this.#texts.textOf(passage);
      if (text !== undefined) batch.push({ passage, text });
      // The change event adds its new passages.
      else this.#rows.forgetMissing(passage.key, passage.conversationId);
    }
    if (batch.length === 0) return;
    const vectors = await this.#embedder?.embed(
      batch.map(({ text }) => text),
      this.#closing.signal,
    );
    const width = vectors?.[0]?.length;
    if (width !== undefined && this.#table !== undefined && width !== this.#table.width)
      await this.#replaceAll(width);
    for (const [at, { passage }] of batch.entries()) {
      const vector = vectors?.[at];
      if (vector === undefined) continue;
      const row = { key: passage.key, ...quantized(vector) };
      this.#addRow(row);
      this.#unwritten.push({ passage, row });
    }
    if (this.#unwritten.length >= ROWS_PER_FILE) await this.#write();
  }

  /**
   * The server has another model under the same name now: its vectors have another width. The earlier ones
   * cannot be compared with them, so they are removed, and made again.
   */
  async #replaceAll(width: number): Promise<void> {
    const { log } = this.#options;
    if (this.#hasReplacedAll || this.#embedder === undefined) {
      throw new AppError(
        'PROVIDER',
        `The vectors of ${this.model} do not always have one length.`,
        {
          hint: 'The server has several models under this name. Set DAYBOOK_EMBEDDINGS_MODEL to the name of one model, then start Daybook again.',
        },
      );
    }
    this.#hasReplacedAll = true;
    log.warn('the model makes vectors of another length now; all vectors are computed again');
    await this.#files?.removeOtherWidths(width);
    this.#files = this.#openFiles(this.#embedder);
    this.#table = undefined;
    this.#unwritten = [];
    this.#rows = new PassageRows();
    this.#isListed = false;
    await this.#readNewFiles();
    await this.#listAll();
  }

  /** Not of texts that were removed meanwhile. If the rows cannot be written, the next call writes them. */
  async #write(): Promise<void> {
    const rows: Row[] = [];
    for (const { passage, row } of this.#unwritten)
      if ((await this.#texts.textOf(passage)) !== undefined) rows.push(row);
    await this.#files?.write(rows);
    this.#unwritten = [];
  }
}
