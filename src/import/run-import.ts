/**
 * Runs an import from beginning to end: detects the format of each path, reads it item by item, imports
 * what is new, and returns a report. Only one import runs on a root at a time. What is counted is durable,
 * and the next import finishes one that was interrupted.
 */
import { join } from 'node:path';
import { sleep, systemClock } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { openInput, textInput } from '../files/input/input.js';
import type { Input, InputFile } from '../files/input/input-types.js';
import { type Lease, tryLease } from '../files/locks/lease.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { ConversationDocuments } from '../stores/conversations/files/conversation-documents.js';
import type { Screen } from '../stores/conversations/writing/screen.js';
import type { SummaryStore } from '../stores/summaries/summary-store.js';
import { AlreadyImported } from './already-imported.js';
import { copyAttachments } from './attachments.js';
import { ConversationImport } from './conversation-import.js';
import { addLeftOut, addProblem, type ImportOutcome, newOutcome } from './import-outcome.js';
import { OtherImport, type OtherStores } from './non-conversation-import.js';
import type {
  Activity,
  ImportedConversation,
  ImportItem,
  ReadOptions,
  Source,
} from './source-interface.js';
import { detectedSource, sourceOf } from './source-list.js';
import { WriteSlots } from './write-slots.js';

export interface ImportStores extends OtherStores {
  readonly conversations: ConversationStore;
  readonly documents: ConversationDocuments;
  readonly summaries: Pick<SummaryStore, 'get' | 'put'>;
  /** Removes from messages what must not be stored. */
  readonly screen: Screen;
  /** Absolute path of `conversation-logs`. */
  readonly logsFolder: string;
}

export interface ImportProgress {
  /** Conversations that were handled, also those that did not change. */
  readonly conversations: number;
  /** The large file that is being read, and how far; absent for small files. */
  readonly reading?: { readonly name: string; readonly bytes: number; readonly sizeBytes: number };
}

export interface ImportRequest {
  readonly paths: readonly string[];
  /**
   * The paths were found by Daybook, not given: a path without anything readable is a problem in the
   * report, not an error.
   */
  readonly areFound?: boolean | undefined;
  /** The text of an export; it is read after the paths. */
  readonly text?: { readonly name: string | undefined; readonly content: string } | undefined;
  /** The kind of source. If it is absent, the format is detected. */
  readonly from?: string | undefined;
  /** ISO 8601: only conversations that were changed since. */
  readonly since?: string | undefined;
  /** Only conversations of this project: a path of a folder, or a name. */
  readonly project?: string | undefined;
  readonly activity: Activity;
  /** Copies the files that messages name into the folders of their conversations. */
  readonly attachments?: boolean | undefined;
  /** Changes nothing, and reports what would be done. */
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly isKnown?: ReadOptions['isKnown'] | undefined;
  onProgress?(progress: ImportProgress): void;
}

export interface ImportReport extends ImportOutcome {
  /** The kind that was detected for each path. */
  readonly sources: { readonly path: string; readonly kind: string; readonly title: string }[];
}

/** Reading a smaller file takes less than a second. */
const LARGE_BYTES = 8 * 1024 * 1024;
/** Names at the top of a folder of files that may be an export by themselves. */
const EXPORT_NAME = /^[^/]+\.(zip|jsonl?|ndjson|md|markdown|txt|db|sqlite3?|vscdb)$/i;
/** At most this many such files are checked, because each must be read. */
const MAX_OTHERS = 200;
const WAIT_MS = 10_000;
const POLL_INTERVAL_MS = 200;

/**
 * Throws VALIDATION_ERROR (a path of no known format), LOCKED (another import is running), PATH_ESCAPE,
 * TOO_LARGE, CORRUPT or FILESYSTEM_ERROR; nothing of that path and of the paths after it is imported. If
 * the disk becomes full during the import, it does not throw: `stopped` is in the report.
 */
export async function runImport(
  stores: ImportStores,
  request: ImportRequest,
): Promise<ImportReport> {
  const report: ImportReport = { ...newOutcome(), sources: [] };
  const lease = request.dryRun ? undefined : await importLease(stores, request.signal);
  try {
    const known = await AlreadyImported.of(stores.conversations);
    const run = new Run(stores, request, report, known, lease);
    for (const path of request.paths) {
      await run.input(await openInput(path));
      if (report.stopped !== undefined) return report;
    }
    const { text } = request;
    if (text !== undefined) await run.input(textInput(text.name, text.content, systemClock.now()));
    return report;
  } finally {
    await lease?.release();
  }
}

async function importLease(
  { logsFolder }: ImportStores,
  signal: AbortSignal | undefined,
): Promise<Lease> {
  for (let waitedMs = 0; ; waitedMs += POLL_INTERVAL_MS) {
    const lease = await tryLease(join(logsFolder, '.leases', 'import'));
    if (lease !== undefined) return lease;
    if (waitedMs >= WAIT_MS) break;
    await sleep(POLL_INTERVAL_MS, signal);
  }
  throw new AppError('LOCKED', 'Another import into this store is running.', {
    hint: 'Wait until it has ended, then import again. Conversations that it imported are not imported twice.',
  });
}

class Run {
  readonly #stores: ImportStores;
  readonly #request: ImportRequest;
  readonly #report: ImportReport;
  readonly #lease: Lease | undefined;
  readonly #conversations: ConversationImport;
  readonly #known: AlreadyImported;
  #progress: ImportProgress = { conversations: 0 };
  /** The number of items that were read, without problems. */
  #items = 0;

  constructor(
    stores: ImportStores,
    request: ImportRequest,
    report: ImportReport,
    known: AlreadyImported,
    lease: Lease | undefined,
  ) {
    this.#stores = stores;
    this.#request = request;
    this.#report = report;
    this.#lease = lease;
    this.#known = known;
    const { dryRun } = request;
    const { conversations: store, documents, summaries, screen } = stores;
    const shared = { store, documents, summaries, screen, known };
    this.#conversations = new ConversationImport({ ...shared, outcome: report, dryRun });
  }

  /** Imports the input and closes it. */
  async input(input: Input): Promise<void> {
    try {
      await this.#importInput(input);
    } catch (error) {
      if (this.#request.areFound && isAppError(error, 'VALIDATION_ERROR')) {
        addProblem(this.#report, { path: input.path }, error);
        return;
      }
      if (!isAppError(error, 'STORAGE_FULL')) throw error;
      this.#report.stopped = { code: error.code, message: error.message };
    } finally {
      await input.close();
    }
  }

  async #importInput(input: Input): Promise<void> {
    const { from, areFound, isKnown } = this.#request;
    if (from !== undefined) return this.#importAs(await sourceOf(input, from), input);
    const isFolderOfUser = input.form === 'folder' && !areFound && isKnown === undefined;
    const source = isFolderOfUser ? await detectedSource(input) : await sourceOf(input, from);
    const opened = source === undefined ? new Set<string>() : await this.#read(source, input);
    const others = isFolderOfUser ? await this.#importOthers(input, source?.kind, opened) : 0;
    if (source === undefined && others === 0) await sourceOf(input, from);
  }

  /** VALIDATION_ERROR if the source, which the user chose, reads nothing and another one detects the input. */
  async #importAs(source: Source, input: Input): Promise<void> {
    const before = this.#items;
    await this.#read(source, input);
    if (this.#items > before || (await source.detect(input))) return;
    const other = await detectedSource(input);
    if (other === undefined) return;
    const message = `${input.path} is not of the kind ${source.kind}. It is of the kind ${other.kind} (${other.title}).`;
    throw new AppError('VALIDATION_ERROR', message, {
      hint: `Nothing was imported. Give no kind, or ${other.kind}.`,
      details: { path: input.path },
    });
  }

  /**
   * Imports the files at the top of a folder that its own source did not open, if each by itself is an
   * export of another kind. Returns their number.
   */
  async #importOthers(
    { files }: Input,
    kind: string | undefined,
    opened: ReadonlySet<string>,
  ): Promise<number> {
    let count = 0;
    const others = files.filter(({ name }) => !opened.has(name) && EXPORT_NAME.test(name));
    for (const { diskPath } of others.slice(0, MAX_OTHERS)) {
      this.#request.signal?.throwIfAborted();
      if (diskPath !== undefined && (await this.#importOther(diskPath, kind))) count += 1;
    }
    const [next] = others.slice(MAX_OTHERS);
    if (next !== undefined) {
      const message = `The folder has more than ${MAX_OTHERS} other files. From ${next.name} on, they were not checked. To import one of them, give its path.`;
      addProblem(this.#report, { path: next.name }, { code: 'TOO_LARGE', message });
    }
    return count;
  }

  async #importOther(path: string, folderKind: string | undefined): Promise<boolean> {
    const input = await openInput(path).catch((error: unknown) => {
      if (!isAppError(error)) throw error;
      addProblem(this.#report, { path }, error);
    });
    if (input === undefined) return false;
    try {
      const source = await detectedSource(input);
      if (source === undefined || source.kind === folderKind) return false;
      await this.#read(source, input);
      return true;
    } finally {
      await input.close();
    }
  }

  /** Returns the names of the files that the source opened. */
  async #read(source: Source, input: Input): Promise<ReadonlySet<string>> {
    const opened = new Set<string>();
    const { path } = input;
    this.#report.sources.push({ path, kind: source.kind, title: source.title });
    for (const { name, reason } of input.refused) {
      const message = `${name} ${reason}. It was not read.`;
      addProblem(this.#report, { path: name }, { code: 'PATH_ESCAPE', message });
    }
    await this.#readAll(source, this.#observed(input, opened));
    return opened;
  }

  async #readAll(source: Source, input: Input): Promise<void> {
    const { signal, activity, dryRun, isKnown } = this.#request;
    const others = new OtherImport(this.#stores, this.#report, dryRun);
    const pool = new WriteSlots();
    try {
      for await (const item of source.read(input, { activity, signal, isKnown })) {
        signal?.throwIfAborted();
        this.#requireLease();
        if (item.type !== 'problem') this.#items += 1;
        if (item.type === 'conversation') await this.#importItem(source, item, pool, input);
        else if (item.type === 'problem') this.#problem(item);
        else await others.importOne(item);
      }
    } finally {
      await pool.settled();
    }
    pool.throwIfFailed();
    await others.end(input.path);
  }

  async #importItem(
    { kind }: Source,
    item: ImportedConversation,
    pool: WriteSlots,
    input: Input,
  ): Promise<void> {
    const reason = skipReason(item, this.#request);
    if (reason !== undefined) return addLeftOut(this.#report, reason);
    await pool.add(item.messages.length, async () => {
      await this.#conversations.importOne(kind, item);
      if (this.#request.attachments) await this.#copyAttachments(kind, item, input);
      this.#advance({ conversations: this.#progress.conversations + 1 });
    });
  }

  #advance(change: Partial<ImportProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#request.onProgress?.(this.#progress);
  }

  /** The same input. It adds the names of opened files to `opened`, and large files report their progress. */
  #observed(input: Input, opened: Set<string>): Input {
    const bytesOf = (file: InputFile) => {
      opened.add(file.name);
      return file.sizeBytes < LARGE_BYTES ? file.bytes() : this.#bytesOf(file);
    };
    const files = input.files.map((file) => ({ ...file, bytes: () => bytesOf(file) }));
    return { ...input, files };
  }

  async *#bytesOf(file: InputFile): AsyncGenerator<Uint8Array> {
    const { name, sizeBytes } = file;
    let bytes = 0;
    try {
      for await (const piece of file.bytes()) {
        bytes += piece.byteLength;
        this.#advance({ reading: { name, bytes, sizeBytes } });
        yield piece;
      }
    } finally {
      const { conversations } = this.#progress;
      this.#progress = { conversations };
    }
  }

  async #copyAttachments(
    kind: string,
    { id, attachments = [], inline = [] }: ImportedConversation,
    { files }: Input,
  ): Promise<void> {
    const { dryRun } = this.#request;
    const conversationId = this.#known.get({ kind, id })?.conversationId;
    const count = attachments.length + inline.length;
    if (count === 0 || (conversationId === undefined && !dryRun)) return;
    const names = new Set(attachments);
    const folder = join(this.#stores.logsFolder, conversationId ?? '');
    const named = [...files.filter(({ name }) => names.has(name)), ...inline];
    await copyAttachments(named, { folder, outcome: this.#report, dryRun });
  }

  #problem(item: ImportItem & { type: 'problem' }): void {
    if (item.isConversation) this.#report.skipped += 1;
    addProblem(this.#report, item, item);
  }

  #requireLease(): void {
    if (this.#lease?.isHeld() ?? true) return;
    throw new AppError('LOCKED', 'Another import started while this one was paused.', {
      hint: 'Wait until the other import has ended, then import again. Imported conversations are not removed.',
    });
  }
}

function skipReason(item: ImportedConversation, { since, project }: ImportRequest) {
  if (since !== undefined) {
    const last = item.updatedAt ?? item.messages.at(-1)?.createdAt ?? item.createdAt;
    if (last !== undefined && last < since) return `last changed before ${since}`;
  }
  const names = [item.module, item.project, ...(item.tags ?? [])];
  return project !== undefined && !names.includes(project) ? 'of another project' : undefined;
}
