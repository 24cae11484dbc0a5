/**
 * Imports the items that a source reads from an input: conversations, and everything else through
 * non-conversation-import.ts. Several conversations are written at the same time.
 */
import { join } from 'node:path';
import { undefinedIfUnreadable } from '../base/errors.js';
import type { Input, InputFile } from '../files/input/input-types.js';
import type { Lease } from '../files/locks/lease.js';
import { WriteSlots } from '../files/write-slots.js';
import type { AlreadyImported } from './conversations/already-imported.js';
import { ConversationImport } from './conversations/conversation-import.js';
import { copyAttachments } from './copy-attachments.js';
import { requireHeld } from './import-lease.js';
import { addLeftOut, addProblem } from './import-outcome.js';
import type { ImportProgress, ImportReport, ImportRequest, ImportStores } from './import-types.js';
import { observedInput, type ReadingProgress } from './input/observed-input.js';
import { NonConversationImport } from './non-conversation-import.js';
import { skipReason } from './skip-reason.js';
import { wholeFile } from './skip-unreadable.js';
import type { ImportedConversation, ImportItem, Source } from './source-interface.js';
import { GENERAL } from './source-list.js';

export interface ItemImportParts {
  readonly stores: ImportStores;
  readonly request: ImportRequest;
  /** Gets what was imported, what was not, and why. */
  readonly report: ImportReport;
  readonly known: AlreadyImported;
  /** `undefined` in a dry run. */
  readonly lease: Lease | undefined;
}

export class ItemImport {
  readonly #parts: ItemImportParts;
  readonly #report: ImportReport;
  #progress: ImportProgress = { conversations: 0 };
  readonly #others: NonConversationImport;
  /** The attachments that a dry run would have copied before. */
  readonly #plannedFiles = new Set<string>();
  /** The number of items that were read, without problems. */
  count = 0;

  constructor(parts: ItemImportParts) {
    this.#parts = parts;
    this.#report = parts.report;
    this.#others = new NonConversationImport(parts.stores, parts.report, parts.request.dryRun);
  }

  /**
   * Imports everything that the source reads from the input. Returns the names of the files that the source
   * opened, or for a general source those with items.
   */
  async importFrom(source: Source, input: Input): Promise<ReadonlySet<string>> {
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
    const { signal, activity, isKnown } = this.#parts.request;
    const conversations = this.#conversationImport();
    const pool = new WriteSlots({ atOnce: 320, weight: 2_000 }); // weighed by messages
    try {
      for await (const item of source.read(input, { activity, signal, isKnown })) {
        signal?.throwIfAborted();
        requireHeld(this.#parts.lease);
        found.add(item.path);
        if (isUsable(item)) this.count += 1;
        if (item.type === 'conversation') {
          await this.#importItem(source, item, input, { pool, conversations });
        } else if (item.type === 'problem') this.#problem(item);
        else await this.#others.importOne(item);
      }
    } finally {
      await pool.settled();
    }
    pool.throwIfFailed();
    await this.#others.end(input.path);
    return found;
  }

  /** A new one for each input: it imports no conversation twice, but a later input can have a newer version. */
  #conversationImport(): ConversationImport {
    const { conversations: store, documents, summaries, masker } = this.#parts.stores;
    const shared = { store, documents, summaries, masker, known: this.#parts.known };
    const { dryRun, activity } = this.#parts.request;
    const requireLease = () => requireHeld(this.#parts.lease);
    const own = { outcome: this.#report, dryRun, activity, requireHeld: requireLease };
    return new ConversationImport({ ...shared, ...own });
  }

  async #importItem(
    { kind }: Source,
    item: ImportedConversation,
    input: Input,
    { pool, conversations }: { pool: WriteSlots; conversations: ConversationImport },
  ): Promise<void> {
    const reason = await skipReason(item, this.#parts.request);
    if (reason !== undefined) return addLeftOut(this.#report, reason);
    await pool.add(item.messages.length, async () => {
      await conversations.importOne(kind, item);
      if (this.#parts.request.attachments) await this.#copyAttachments(kind, item, input);
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
    this.#parts.request.onProgress?.(this.#progress);
  }

  async #copyAttachments(
    kind: string,
    { id, whole, attachments = [], inline = [] }: ImportedConversation,
    { files }: Input,
  ): Promise<void> {
    const { dryRun } = this.#parts.request;
    const { known, stores } = this.#parts;
    const isStored = stores.conversations.knownHead(id) !== undefined;
    const asWhole = whole !== undefined && isStored ? id : undefined;
    const conversationId = asWhole ?? known.get({ kind, id })?.conversationId;
    const count = attachments.length + inline.length;
    const isLeftOut =
      conversationId === undefined && (!dryRun || known.reasonToLeaveOut({ kind, id }));
    if (count === 0 || isLeftOut) return;
    const names = new Set(attachments);
    // Searching all files for each conversation would take quadratic time.
    const found = names.size === 0 ? [] : files.filter(({ name }) => names.has(name));
    const named = [...found.map(wholeFile), ...inline];
    const all = dryRun ? named.filter(({ name }) => this.#isFirst(`${kind} ${id} ${name}`)) : named;
    const { logsFolder, requireRoom } = stores;
    const branches = known.madeBranches({ kind, id });
    for (const [to, own] of await this.#placesOf(all, conversationId ?? '', branches)) {
      const folder = join(logsFolder, to);
      await copyAttachments(own, { folder, outcome: this.#report, dryRun, requireRoom });
    }
  }

  #isFirst(file: string): boolean {
    const { size } = this.#plannedFiles;
    return this.#plannedFiles.add(file).size > size;
  }

  /**
   * The files by conversation. A branch that an import made gets the files that it names; the conversation
   * gets those that it names, and those that no branch names.
   */
  async #placesOf(
    files: readonly InputFile[],
    conversationId: string,
    branches: readonly string[],
  ): Promise<(readonly [string, readonly InputFile[]])[]> {
    if (branches.length === 0) return [[conversationId, files]];
    const { conversations } = this.#parts.stores;
    const namedIn = async (id: string) => {
      const found = await undefinedIfUnreadable(conversations.load(id));
      const texts = (found?.messages ?? []).map(({ content }) => content);
      return files.filter(({ name }) => texts.some((text) => text.includes(name)));
    };
    const places: [string, readonly InputFile[]][] = [];
    for (const id of branches) places.push([id, await namedIn(id)]);
    const elsewhere = new Set(places.flatMap(([, named]) => named));
    const own = new Set(await namedIn(conversationId));
    return [
      [conversationId, files.filter((file) => own.has(file) || !elsewhere.has(file))],
      ...places,
    ];
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
