/**
 * Runs an import from beginning to end: detects the format of each path, reads it item by item, imports
 * what is new, and returns a report. Only one import runs on a root at a time. What is counted is durable,
 * and the next import finishes one that was interrupted.
 */
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { openInput } from '../files/input/input.js';
import type { Input, InputFile } from '../files/input/input-types.js';
import { textInput } from '../files/input/text-input.js';
import type { Lease } from '../files/locks/lease.js';
import { WriteSlots } from '../files/write-slots.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { ConversationDocuments } from '../stores/conversations/files/conversation-documents.js';
import type { Masker } from '../stores/conversations/writing/mask-queue.js';
import type { SummaryStore } from '../stores/summaries/summary-store.js';
import { AlreadyImported, type ArchivedSource } from './conversations/already-imported.js';
import { ConversationImport } from './conversations/conversation-import.js';
import { copyAttachments } from './copy-attachments.js';
import { detectedSource, furtherSource, requireReadableLists, sourceOf } from './detect-source.js';
import { importLease, requireHeld } from './import-lease.js';
import {
  addLeftOut,
  addProblem,
  addRefused,
  type ImportOutcome,
  newOutcome,
} from './import-outcome.js';
import { OtherImport, type OtherStores } from './non-conversation-import.js';
import { MAX_OTHERS, otherExports, reportUnread } from './other-exports.js';
import { observedInput, type ReadingProgress } from './reading/observed-input.js';
import { type Choice, skipReason } from './skip-reason.js';
import { skippingUnreadable, wholeFile } from './skip-unreadable.js';
import type {
  Activity,
  ImportedConversation,
  ImportItem,
  ReadOptions,
  RecordLocation,
  Source,
} from './source-interface.js';
import { GENERAL } from './source-list.js';

export interface ImportStores extends OtherStores {
  readonly conversations: ConversationStore;
  readonly documents: ConversationDocuments;
  readonly summaries: Pick<SummaryStore, 'get' | 'put'>;
  /** Removes from messages what must not be stored. */
  readonly masker: Masker;
  /** Absolute path of `conversation-logs`. */
  readonly logsFolder: string;
  /** The conversations in archives, which are not imported again. */
  readonly archived?: () => Promise<readonly ArchivedSource[]>;
}

export interface ImportProgress {
  /** Conversations that were handled, also those that did not change. */
  readonly conversations: number;
  /** The large file that is being read, and how far; absent for small files. */
  readonly reading?: ReadingProgress;
}

export interface ImportRequest extends Choice {
  readonly paths: readonly string[];
  /**
   * The paths were found by Daybook, not given: a path without anything readable is left out, because a tool
   * may have no conversations yet.
   */
  readonly areFound?: boolean | undefined;
  /** The text of an export; it is read after the paths. */
  readonly text?: { readonly name: string | undefined; readonly content: string } | undefined;
  /** The kind of source. If it is absent, the format is detected. */
  readonly from?: string | undefined;
  readonly activity: Activity;
  /** Copies the files that messages name into the folders of their conversations. */
  readonly attachments?: boolean | undefined;
  /** Changes nothing, and reports what would be done. */
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly isKnown?: ReadOptions['isKnown'] | undefined;
  /** Called for each file of a folder that could not be read, so that `isKnown` is asked about it again. */
  readonly onUnreadable?: ((file: InputFile) => void) | undefined;
  onProgress?(progress: ImportProgress): void;
}

export interface ImportReport extends ImportOutcome {
  /** The kind that was detected for each path. */
  readonly sources: { readonly path: string; readonly kind: string; readonly title: string }[];
}

const ERRORS_OF_ONE_EXPORT: readonly string[] = [
  'VALIDATION_ERROR',
  'CORRUPT',
  'TOO_LARGE',
  'PATH_ESCAPE',
];

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
  const lease = request.dryRun ? undefined : await importLease(stores.logsFolder, request.signal);
  try {
    const known = await AlreadyImported.of(stores.conversations, await stores.archived?.());
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

/** JSON.parse reads any depth, but most other code, such as JSON.stringify, is recursive. The texts are those of V8. */
const isTooDeep = (error: unknown): error is RangeError =>
  error instanceof RangeError && /call stack|string length/.test(error.message);

const tooDeep = ({ path }: Input, cause: RangeError) =>
  new AppError('CORRUPT', `${path} has a value that is too large or nested too deeply.`, { cause });

class Run {
  readonly #stores: ImportStores;
  readonly #request: ImportRequest;
  readonly #report: ImportReport;
  readonly #lease: Lease | undefined;
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
  }

  /** Imports the input and closes it. */
  async input(given: Input): Promise<void> {
    const input = skippingUnreadable(given, this.#request.onUnreadable);
    try {
      await this.#importInput(input);
    } catch (thrown) {
      const error = isTooDeep(thrown) ? tooDeep(given, thrown) : thrown;
      const { areFound } = this.#request;
      if (areFound && isAppError(error, 'VALIDATION_ERROR')) {
        return addLeftOut(this.#report, 'tools without conversations that Daybook can read');
      }
      if (areFound && isAppError(error, 'CORRUPT')) return addProblem(this.#report, input, error);
      if (!isAppError(error, 'STORAGE_FULL')) throw error;
      this.#report.stopped = { code: error.code, message: error.message };
    } finally {
      addRefused(this.#report, input);
      await input.close();
    }
  }

  async #importInput(input: Input): Promise<void> {
    const { from, areFound, isKnown } = this.#request;
    if (from !== undefined) return this.#importAs(await sourceOf(input, from), input);
    const isOfUser = !areFound && isKnown === undefined;
    if (input.form === 'folder' && isOfUser) return this.#importFolder(input);
    const source = await sourceOf(input, from);
    if (isOfUser) await this.#readAllOf(source, input);
    else await this.#read(source, input);
  }

  /** VALIDATION_ERROR if the source, which the user chose, reads nothing and does not detect the input. */
  async #importAs(source: Source, input: Input): Promise<void> {
    const { problems } = this.#report;
    const [itemsBefore, problemsBefore] = [this.#items, problems.length];
    await this.#read(source, input);
    if (this.#items > itemsBefore || (await source.detect(input))) return;
    const other = await detectedSource(input);
    if (other === undefined) {
      if (problems.length === problemsBefore) await sourceOf(input, undefined);
      return;
    }
    const message = `${input.path} is not of the kind ${source.kind}. It is of the kind ${other.kind} (${other.title}).`;
    throw new AppError('VALIDATION_ERROR', message, {
      hint: `Nothing of it was imported. Give no kind, or ${other.kind}.`,
      details: { path: input.path },
    });
  }

  /** Imports the folder, and the exports of other programs that lie at its top. */
  async #importFolder(input: Input): Promise<void> {
    const source = await detectedSource(input);
    const unread = source === undefined ? input : await this.#readAllOf(source, input);
    const { count, failure } = await this.#importOthers(unread, source);
    if (source === undefined && count === 0) {
      if (failure !== undefined) throw failure;
      await sourceOf(input, undefined);
    }
    if (source === undefined) await reportUnread(unread, [], this.#report);
    await this.#reporting({ path: input.path }, () => requireReadableLists(unread));
  }

  /** The number of exports that were imported, and the first error that concerns only one of them. */
  async #importOthers({ path, files }: Input, source: Source | undefined) {
    const others = otherExports(files);
    let count = 0;
    let failure: AppError | undefined;
    for (const file of others.slice(0, MAX_OTHERS)) {
      this.#request.signal?.throwIfAborted();
      const location = { path: file.diskPath ?? join(path, file.name) };
      const error = await this.#reporting(location, async () => {
        if (await this.#importOther(file, source)) count += 1;
      });
      failure ??= error;
    }
    const next = others[MAX_OTHERS];
    if (next !== undefined) {
      const message = `The folder has more than ${MAX_OTHERS} other files. ${next.name} and the files after it were not checked. To import one of them, give its path.`;
      addProblem(this.#report, { path: join(path, next.name) }, { code: 'TOO_LARGE', message });
    }
    return { count, failure };
  }

  /** True if the file is an export and was imported. */
  async #importOther({ name, diskPath }: InputFile, folderSource: Source | undefined) {
    if (diskPath === undefined) return false;
    const input = skippingUnreadable(await openInput(diskPath, { followsLinks: false }));
    try {
      const source = await detectedSource(input);
      if (source === undefined) {
        // A single file may be anything, but an archive with a damaged list was meant to be read.
        if (input.form === 'zip') await requireReadableLists(input);
        return false;
      }
      if (folderSource !== undefined && input.form === 'file') {
        const message = `${name} has the format of ${source.title}. It was not imported, because it may be an attachment. To import it, give its path.`;
        addProblem(this.#report, { path: diskPath }, { code: 'VALIDATION_ERROR', message });
        return false;
      }
      const from = this.#report.problems.length;
      await this.#readAllOf(source, input);
      addRefused(this.#report, input);
      const { problems } = this.#report;
      for (const [at, problem] of problems.entries()) {
        if (at >= from) problems[at] = { ...problem, path: `${diskPath}: ${problem.path}` };
      }
      return true;
    } finally {
      await input.close();
    }
  }

  /** Returns, and puts into the report, an error of `work` that concerns only one export. */
  async #reporting(
    location: RecordLocation,
    work: () => Promise<void>,
  ): Promise<AppError | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (!isAppError(error)) throw error;
      // The same code for another path is an error of the store.
      const isUnreadable =
        error.code === 'FILESYSTEM_ERROR' && error.details?.['path'] === location.path;
      if (!isUnreadable && !ERRORS_OF_ONE_EXPORT.includes(error.code)) throw error;
      addProblem(this.#report, location, error);
      return error;
    }
  }

  /** Reads the input by the source, and what other sources detect in the rest of it. Returns what is left. */
  async #readAllOf(first: Source, input: Input): Promise<Input> {
    const done: Source[] = [];
    let unread = input;
    for (let source: Source | undefined = first; source !== undefined; ) {
      done.push(source);
      const opened = await this.#read(source, unread);
      unread = { ...unread, files: unread.files.filter(({ name }) => !opened.has(name)) };
      source = input.form === 'file' ? undefined : await furtherSource(unread, done);
    }
    if (input.form !== 'file') await reportUnread(unread, done, this.#report);
    return unread;
  }

  /** Returns the names of the files that the source opened, or for a general source those with items. */
  async #read(source: Source, input: Input): Promise<ReadonlySet<string>> {
    const opened = new Set<string>();
    const { path } = input;
    this.#report.sources.push({ path, kind: source.kind, title: source.title });
    const found = await this.#readAll(
      source,
      observedInput(input, opened, (reading) => this.#setReading(reading)),
    );
    return GENERAL.includes(source) ? found : opened;
  }

  /** Returns the names of the files with items. */
  async #readAll(source: Source, input: Input): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const { signal, activity, dryRun, isKnown } = this.#request;
    const others = new OtherImport(this.#stores, this.#report, dryRun);
    const conversations = this.#conversationImport();
    const pool = new WriteSlots({ atOnce: 512, weight: 2_000 }); // weighed by messages
    try {
      for await (const item of source.read(input, { activity, signal, isKnown })) {
        signal?.throwIfAborted();
        requireHeld(this.#lease);
        found.add(item.path);
        if (isUsable(item)) this.#items += 1;
        if (item.type === 'conversation') {
          await this.#importItem(source, item, input, { pool, conversations });
        } else if (item.type === 'problem') this.#problem(item);
        else await others.importOne(item);
      }
    } finally {
      await pool.settled();
    }
    pool.throwIfFailed();
    await others.end(input.path);
    return found;
  }

  /** A new one for each input: it imports no conversation twice, but a later input can have a newer version. */
  #conversationImport(): ConversationImport {
    const { conversations: store, documents, summaries, masker } = this.#stores;
    const shared = { store, documents, summaries, masker, known: this.#known };
    const { dryRun } = this.#request;
    const requireLease = () => requireHeld(this.#lease);
    const own = { outcome: this.#report, dryRun, requireHeld: requireLease };
    return new ConversationImport({ ...shared, ...own });
  }

  async #importItem(
    { kind }: Source,
    item: ImportedConversation,
    input: Input,
    { pool, conversations }: { pool: WriteSlots; conversations: ConversationImport },
  ): Promise<void> {
    const reason = skipReason(item, this.#request);
    if (reason !== undefined) return addLeftOut(this.#report, reason);
    await pool.add(item.messages.length, async () => {
      await conversations.importOne(kind, item);
      if (this.#request.attachments) await this.#copyAttachments(kind, item, input);
      this.#advance({ conversations: this.#progress.conversations + 1 });
    });
  }

  /** `reading` is `undefined` at the end of a file, which is not reported by itself. */
  #setReading(reading: ReadingProgress | undefined): void {
    const { conversations } = this.#progress;
    if (reading === undefined) this.#progress = { conversations };
    else this.#advance({ reading });
  }

  #advance(change: Partial<ImportProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#request.onProgress?.(this.#progress);
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
    const named = [...files.filter(({ name }) => names.has(name)).map(wholeFile), ...inline];
    await copyAttachments(named, { folder, outcome: this.#report, dryRun });
  }

  #problem(item: ImportItem & { type: 'problem' }): void {
    if (item.isConversation) this.#report.skipped += 1;
    addProblem(this.#report, item, item);
  }
}

const isUsable = (item: ImportItem) =>
  item.type === 'conversation'
    ? item.messages.length > 0 || item.whole !== undefined
    : item.type !== 'problem';
