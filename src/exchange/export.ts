/**
 * Exports conversations as a stream of text, with one conversation in memory at a time, into a new file, a
 * new folder or an answer of limited size. It reads from disk, in the order of the ids (the order of
 * creation). A damaged conversation is named in the result and does not stop the export.
 */
import { join } from 'node:path';
import { runInSlices, TimeSlice } from '../base/async/time-slice.js';
import { type Clock, isoTime } from '../base/clock.js';
import { type AppError, isAppError } from '../base/errors.js';
import { totalBytes } from '../base/total-bytes.js';
import { type AgeRecipients, createAgeEncrypter } from '../files/age-encryption.js';
import type { Durability } from '../files/atomic/atomic-write.js';
import { writeNewFile } from '../files/atomic/new-file-stream.js';
import { writeNewFolder } from '../files/atomic/new-folder.js';
import { documentSteps } from '../files/read/json-document.js';
import { WriteSlots } from '../files/write-slots.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import type { ConversationHead } from '../stores/conversations/document/schema.js';
import {
  type Attachment,
  attachmentsOf,
  copyAttachmentsTo,
  namedAttachments,
} from '../stores/conversations/files/attachments.js';
import type { ConversationDocuments } from '../stores/conversations/files/conversation-documents.js';
import { fitsModule } from '../stores/modules.js';
import { withSummaries } from '../stores/summaries/exported-summaries.js';
import type { SummaryStore } from '../stores/summaries/summary-store.js';
import { hasTag } from '../stores/tags.js';
import { exportPath } from './export-folder.js';
import { EXPORT_WRITERS, type ExportedDocument, type ExportFormat } from './export-formats.js';
import type { TimeFormat } from './markdown/conversation-markdown.js';
import { MarkdownFolder } from './markdown/markdown-files.js';
import { type ShownActivity, withActivity } from './markdown/message-activity.js';
import { forSharing } from './redact-for-sharing.js';

export interface Selection {
  /** Ids or client keys. If one does not exist, the export throws CONVERSATION_NOT_FOUND. */
  readonly refs?: readonly string[] | undefined;
  readonly module?: string | undefined;
  /** In any spelling of the tag. */
  readonly tag?: string | undefined;
  /** Only conversations that overlap this period; epoch milliseconds. */
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  /** Only ids after this one. */
  readonly after?: string | undefined;
}

/** Limits of files (`atOnce`) and messages (`weight`) that are written at the same time. */
const SLOTS = { atOnce: 32, weight: 2_000 };

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly selection: Selection;
  /** Omits private fields (`redact-for-sharing.ts`). */
  readonly forSharing: boolean;
  /** How Markdown shows tool calls and thinking; if absent, they are only in the metadata. */
  readonly activity?: ShownActivity | undefined;
  /** How Markdown writes times; UTC by default. */
  readonly timeOf?: TimeFormat | undefined;
  /** Encrypts the file as an age file for these recipients or this passphrase. */
  readonly age?: AgeRecipients | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of exported conversations and of all selected ones. */
  onProgress?(done: number, total: number): void;
}

export interface Damaged {
  readonly conversationId: string;
  readonly error: AppError;
}

export interface ExportCounts {
  conversations: number;
  messages: number;
  /** Attachments of these conversations. Only a folder of Markdown has copies of them. */
  attachments: number;
  readonly damaged: Damaged[];
}

export interface ExportedText extends ExportCounts {
  readonly text: string;
  /** Number of all selected conversations, on all pages. */
  readonly total: number;
  /** Selected conversations that are left out because one alone is larger than an answer may be. */
  readonly tooLong: { conversationId: string; sizeBytes: number }[];
  /** Id of the last conversation on this page; the next page begins after it. */
  readonly nextAfter?: string;
}

/** The maximum size of an answer, and how to measure a text in the same unit. */
export interface TextBudget {
  readonly max: number;
  measure(text: string): number;
}

export interface ExportedFile extends ExportCounts {
  readonly path: string;
  readonly sizeBytes: number;
}

export interface ExporterOptions extends Durability {
  readonly store: ConversationStore;
  readonly documents: ConversationDocuments;
  readonly summaries: Pick<SummaryStore, 'get'>;
  /** Absolute path of the exports folder. The first export creates it, private and ignored by git. */
  readonly exportsFolder: string;
  readonly clock: Clock;
}

interface Selected {
  /** In order, after `after`. */
  readonly heads: ConversationHead[];
  readonly total: number;
  readonly damaged: Damaged[];
}

export class Exporter {
  readonly #options: ExporterOptions;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Whether an export would have no conversation and report no damaged one. Throws like `toFile`. */
  async isEmpty(selection: Selection): Promise<boolean> {
    const { heads, damaged } = await this.#select(selection);
    return heads.length + damaged.length === 0;
  }

  /** The export in pieces; `counts` is complete when the stream has ended. Throws like `toFile`. */
  async *stream(request: ExportRequest, counts: ExportCounts): AsyncGenerator<string> {
    yield* this.#pieces(await this.#select(request.selection), request, counts);
  }

  async *#pieces(
    { heads, damaged }: Selected,
    request: ExportRequest,
    counts: ExportCounts,
  ): AsyncGenerator<string> {
    counts.damaged.push(...damaged);
    const { opening, conversation, closing } = EXPORT_WRITERS[request.format];
    yield opening(isoTime(this.#options.clock.now()));
    for await (const document of this.#documents(heads, request, counts)) {
      yield* conversation(document, counts.conversations === 0, request.timeOf);
      counts.attachments += await this.#countAttachments(document);
    }
    yield closing;
  }

  /** Each document counts as exported when the next one is requested. */
  async *#documents(
    heads: readonly ConversationHead[],
    request: Omit<ExportRequest, 'format'>,
    counts: ExportCounts,
  ): AsyncGenerator<ExportedDocument> {
    for (const [index, { conversationId }] of heads.entries()) {
      request.signal?.throwIfAborted();
      const document = await this.#read(conversationId, request, counts.damaged);
      if (document !== undefined) {
        yield document;
        counts.conversations += 1;
        counts.messages += document.messages.length;
      }
      request.onProgress?.(index + 1, heads.length);
    }
  }

  /**
   * Writes a new file; `name` is a path inside the exports folder. Durable when it resolves. Throws
   * ALREADY_EXISTS, PATH_ESCAPE, CONVERSATION_NOT_FOUND, STORAGE_FULL or FILESYSTEM_ERROR, and then leaves
   * no file or part of one.
   */
  async toFile(name: string, request: ExportRequest): Promise<ExportedFile> {
    const path = await exportPath(this.#options.exportsFolder, name, this.#options);
    return this.toPath(path, request);
  }

  /** The same at an absolute path that the user chose. */
  async toPath(path: string, request: ExportRequest): Promise<ExportedFile> {
    const { fsync } = this.#options;
    const counts = newCounts();
    // Before there is a file: Ctrl-C may end the process while all conversations are read for the list.
    const selected = await this.#select(request.selection);
    request.signal?.throwIfAborted();
    const text = this.#pieces(selected, request, counts);
    const chunks =
      request.age === undefined ? text : (await createAgeEncrypter(request.age)).seal(text);
    const sizeBytes = await writeNewFile(path, chunks, { fsync, signal: request.signal });
    return { ...counts, path, sizeBytes };
  }

  /**
   * Writes one Markdown file for each conversation into a new folder, and beside it the attachments in
   * `<id>/attachments/`, completely or not at all. An attachment that cannot be read is reported as damaged.
   * Throws ALREADY_EXISTS, CONVERSATION_NOT_FOUND, STORAGE_FULL or FILESYSTEM_ERROR.
   */
  async toFolder(path: string, request: Omit<ExportRequest, 'format'>): Promise<ExportedFile> {
    const { forSharing: isShared, selection } = request;
    const { fsync } = this.#options;
    const { heads, damaged } = await this.#select(selection);
    const counts = newCounts(damaged);
    const files = new MarkdownFolder(heads);
    const slots = new WriteSlots(SLOTS);
    const sizeBytes = await writeNewFolder(path, { fsync }, async (stage) => {
      let size = 0;
      try {
        for await (const document of this.#documents(heads, request, counts)) {
          await slots.add(document.messages.length, async () => {
            const attachments = await this.#copyAttachments(document, stage, { isShared, counts });
            size += await files.write(stage, document, { isShared, fsync, attachments });
            size += totalBytes(attachments);
          });
        }
      } finally {
        await slots.settled();
      }
      slots.throwIfFailed();
      return size;
    });
    return { ...counts, path, sizeBytes };
  }

  /** Copies the attachments decrypted, and for sharing only those that the shared messages name. */
  async #copyAttachments(
    { conversationId, messages }: ExportedDocument,
    stage: string,
    { isShared, counts }: { readonly isShared: boolean; readonly counts: ExportCounts },
  ): Promise<Attachment[]> {
    const folder = this.#options.store.path(conversationId);
    const { fsync } = this.#options;
    const copied: Attachment[] = [];
    try {
      const texts = messages.map(({ content }) => ({ content: String(content) }));
      const all = isShared ? namedAttachments(folder, texts) : attachmentsOf(folder);
      for (const attachment of await all) {
        await copyAttachmentsTo(join(stage, conversationId), [attachment], {
          fsync,
          isPlain: true,
        });
        copied.push(attachment);
      }
    } catch (error) {
      if (!isAppError(error) || error.code === 'STORAGE_FULL') throw error;
      counts.damaged.push({ conversationId, error });
    }
    counts.attachments += copied.length;
    return copied;
  }

  async #countAttachments({ conversationId }: ExportedDocument): Promise<number> {
    return (await attachmentsOf(this.#options.store.path(conversationId))).length;
  }

  /** As many whole conversations as fit into `room`. Throws CONVERSATION_NOT_FOUND or FILESYSTEM_ERROR. */
  async toText(request: ExportRequest, { max, measure }: TextBudget): Promise<ExportedText> {
    const { heads, total, damaged } = await this.#select(request.selection);
    const { opening, conversation, closing } = EXPORT_WRITERS[request.format];
    const counts = newCounts(damaged);
    const tooLong: ExportedText['tooLong'] = [];
    let text = opening(isoTime(this.#options.clock.now()));
    let room = max - measure(text + closing);
    const roomForOne = room;
    let last: string | undefined;
    for (const { conversationId } of heads) {
      request.signal?.throwIfAborted();
      const document = await this.#read(conversationId, request, counts.damaged);
      if (document === undefined) continue;
      const part = await joined(conversation(document, counts.conversations === 0));
      const size = measure(part);
      const isTooLong = size > roomForOne;
      const note = { conversationId, sizeBytes: Buffer.byteLength(part) };
      room -= isTooLong ? measure(JSON.stringify(note)) : size;
      if (last !== undefined && room < 0) {
        return { ...counts, text: text + closing, total, tooLong, nextAfter: last };
      }
      last = conversationId;
      if (isTooLong) tooLong.push(note);
      else {
        text += part;
        counts.conversations += 1;
        counts.messages += document.messages.length;
        counts.attachments += await this.#countAttachments(document);
      }
    }
    return { ...counts, text: text + closing, total, tooLong };
  }

  async #read(
    conversationId: string,
    { forSharing: isShared, activity }: Pick<ExportRequest, 'forSharing' | 'activity'>,
    damaged: Damaged[],
  ): Promise<ExportedDocument | undefined> {
    const { documents, summaries } = this.#options;
    let document: ExportedDocument | undefined;
    try {
      const found = await documents.read(conversationId);
      if (found === undefined) return undefined; // deleted in the meantime
      document = await documentOf(found.text, conversationId);
      const chosen = isShared ? forSharing(document) : await withSummaries(document, summaries);
      return activity === undefined ? chosen : withActivity(chosen, activity);
    } catch (error) {
      if (!isAppError(error)) throw error;
      damaged.push({ conversationId, error });
      return document; // exported without its summaries if only these are damaged
    }
  }

  async #select(selection: Selection): Promise<Selected> {
    const { store } = this.#options;
    const { refs, module, tag, startTime, endTime, after } = selection;
    const found = refs === undefined ? await listAll(store) : await findByRefs(store, refs);
    const heads = found.heads.filter(
      (head) =>
        fitsModule(head.module, module) &&
        (tag === undefined || hasTag(head.tags ?? [], tag)) &&
        (startTime === undefined || head.updatedAt >= isoTime(startTime)) &&
        (endTime === undefined || head.createdAt <= isoTime(endTime)),
    );
    const isWhole = [module, tag, startTime, endTime].every((each) => each === undefined);
    const isReported = after === undefined && (refs !== undefined || isWhole); // reported on the first page only
    const damaged = isReported ? found.damaged : [];
    const rest = heads.filter(({ conversationId: id }) => after === undefined || id > after);
    return { heads: rest.sort(byId), total: heads.length, damaged: [...damaged] };
  }
}

/** The parsed text of a document, a large one in slices. */
async function documentOf(text: string, conversationId: string): Promise<ExportedDocument> {
  const bytes = Buffer.from(text);
  const steps = documentSteps(bytes, 'messages', conversationId, 'CONVERSATION_CORRUPTED');
  return (await runInSlices(steps)).value as ExportedDocument;
}

/** The whole text; the pieces are made in slices. */
async function joined(pieces: Iterable<string>): Promise<string> {
  const slice = new TimeSlice();
  const all: string[] = [];
  for (const piece of pieces) {
    all.push(piece);
    if (slice.isSpent()) await slice.yield();
  }
  return all.join('');
}

const byId = (a: ConversationHead, b: ConversationHead) =>
  a.conversationId < b.conversationId ? -1 : 1;

/** Initial counts for `stream`. */
export function newCounts(damaged: readonly Damaged[] = []): ExportCounts {
  return { conversations: 0, messages: 0, attachments: 0, damaged: [...damaged] };
}

interface Found {
  readonly heads: readonly ConversationHead[];
  readonly damaged: readonly Damaged[];
}

async function listAll(store: ConversationStore): Promise<Found> {
  const heads = await store.list();
  return { heads, damaged: store.damaged() };
}

/** Only these, each once. A damaged one counts as existing. Throws CONVERSATION_NOT_FOUND. */
async function findByRefs(store: ConversationStore, refs: readonly string[]): Promise<Found> {
  const heads = new Map<string, ConversationHead>();
  const damaged = new Map<string, Damaged>();
  for (const ref of refs) {
    try {
      const { head } = await store.view(ref);
      heads.set(head.conversationId, head);
    } catch (error) {
      if (!isAppError(error) || !CONVERSATION_ID.test(ref)) throw error;
      if (error.code === 'CONVERSATION_NOT_FOUND') throw error;
      damaged.set(ref, { conversationId: ref, error });
    }
  }
  return { heads: [...heads.values()], damaged: [...damaged.values()] };
}
