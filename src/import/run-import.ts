/**
 * Runs an import from beginning to end: detects the format of each path, reads it item by item, imports
 * what is new, and returns a report. Only one import runs on a root at a time. What is counted is durable,
 * and the next import finishes one that was interrupted.
 */
import { dirname, join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { AppError, appErrorOf, isAppError } from '../base/errors.js';
import { openInput } from '../files/input/input.js';
import type { Input, InputFile } from '../files/input/input-types.js';
import { textInput } from '../files/input/text-input.js';
import { isAttachment } from '../files/sealing/open-stores.js';
import { AlreadyImported } from './conversations/already-imported.js';
import { detectedSource, furtherSource, requireReadableLists, sourceOf } from './detect-source.js';
import { importLease } from './import-lease.js';
import { addLeftOut, addProblem, addRefused, newOutcome } from './import-outcome.js';
import type { ImportReport, ImportRequest, ImportStores } from './import-types.js';
import { ItemImport } from './item-import.js';
import { MAX_OTHERS, otherExports, reportUnread } from './other-exports.js';
import { skippingUnreadable } from './skip-unreadable.js';
import type { RecordLocation, Source } from './source-interface.js';
import { requireKind } from './source-list.js';

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
    const items = new ItemImport({ stores, request, report, known, lease });
    const run = new Run(request, report, items);
    for (const path of request.paths) {
      const input = await run.open(path);
      if (input !== undefined) await run.input(input);
      if (report.stopped !== undefined) return report;
    }
    const { text } = request;
    if (text !== undefined) await run.input(textInput(text.name, text.content, systemClock.now()));
    return report;
  } finally {
    await lease?.release();
  }
}

/**
 * JSON.parse reads any depth, but most other code, such as JSON.stringify, is recursive. The texts are those of
 * V8.
 */
const isTooDeep = (error: unknown): error is RangeError =>
  error instanceof RangeError && /call stack|string length/.test(error.message);

const tooDeep = ({ path }: Input, cause: RangeError) =>
  new AppError('CORRUPT', `${path} has a value that is too large or nested too deeply.`, { cause });

class Run {
  readonly #request: ImportRequest;
  readonly #report: ImportReport;
  readonly #items: ItemImport;

  constructor(request: ImportRequest, report: ImportReport, items: ItemImport) {
    this.#request = request;
    this.#report = report;
    this.#items = items;
  }

  /** The input; `undefined` if Daybook found the path, but cannot open it, which is reported. */
  async open(path: string): Promise<Input | undefined> {
    try {
      return await openInput(path);
    } catch (error) {
      if (!this.#request.areFound || !isAppError(error)) throw error;
      addProblem(this.#report, { path }, error);
      return undefined;
    }
  }

  /** Imports the input and closes it. */
  async input(given: Input): Promise<void> {
    const input = skippingUnreadable(given, this.#request.onUnreadable);
    const firstProblem = this.#report.problems.length;
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
      const { paths, areFound } = this.#request;
      if (areFound || paths.length > 1) this.#setWholePaths(firstProblem, input);
      await input.close();
    }
  }

  /**
   * Makes the paths of problems absolute, because sources name a file relative to its input. Not called for the only
   * path that a user gave.
   */
  #setWholePaths(firstProblem: number, { path: top, form }: Input): void {
    const { problems } = this.#report;
    const wholePath = (path: string) => {
      if (path.startsWith(top)) return path;
      return form === 'zip' ? `${top}: ${path}` : join(form === 'file' ? dirname(top) : top, path);
    };
    for (const [at, problem] of problems.entries()) {
      if (at >= firstProblem) problems[at] = { ...problem, path: wholePath(problem.path) };
    }
  }

  async #importInput(input: Input): Promise<void> {
    const { from, areFound, isKnown } = this.#request;
    if (from !== undefined) return this.#importAs(requireKind(from), input);
    const isOfUser = !areFound && isKnown === undefined;
    if (input.form === 'folder' && isOfUser) return this.#importFolder(input);
    const source = await sourceOf(input);
    if (isOfUser) await this.#readAllOf(source, input);
    else await this.#items.importFrom(source, input);
  }

  /** VALIDATION_ERROR if the source, which the user chose, reads nothing and does not detect the input. */
  async #importAs(source: Source, input: Input): Promise<void> {
    const { problems } = this.#report;
    const [itemsBefore, problemsBefore] = [this.#items.count, problems.length];
    await this.#items.importFrom(source, input);
    if (this.#items.count > itemsBefore || (await source.detect(input))) return;
    const other = await detectedSource(input);
    if (other === undefined) {
      if (problems.length === problemsBefore) await sourceOf(input);
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
      await sourceOf(input);
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
      this.#setWholePaths(from, input);
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
    const error = await appErrorOf(work);
    if (error === undefined) return undefined;
    // The same code for another path is an error of the store.
    const isUnreadable =
      error.code === 'FILESYSTEM_ERROR' && error.details?.['path'] === location.path;
    if (!isUnreadable && !ERRORS_OF_ONE_EXPORT.includes(error.code)) throw error;
    addProblem(this.#report, location, error);
    return error;
  }

  /** Reads the input by the source, and what other sources detect in the rest of it. Returns what is left. */
  async #readAllOf(first: Source, input: Input): Promise<Input> {
    const done: Source[] = [];
    let unread = input;
    for (let source: Source | undefined = first; source !== undefined; ) {
      done.push(source);
      const opened = await this.#items.importFrom(source, unread);
      const isOwn = source.kind === 'daybook'; // its attachments are no exports
      const isLeft = ({ name }: InputFile) => !opened.has(name) && !(isOwn && isAttachment(name));
      unread = { ...unread, files: unread.files.filter(isLeft) };
      source = input.form === 'file' ? undefined : await furtherSource(unread, done);
    }
    if (input.form !== 'file') await reportUnread(unread, done, this.#report);
    return unread;
  }
}
