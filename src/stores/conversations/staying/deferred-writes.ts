/**
 * Messages that cannot be written now, because the folder is away, read-only or full, wait in memory:
 * in order, up to a bound, seen by readers, and told as not durable. They are written once, in order,
 * when the store takes writes again (memory-bank/decisions/0061). Each message has its id before the
 * first attempt, so a write whose outcome is unknown is looked up in the file before it is repeated.
 */
import { isoTime } from '../../../base/clock.js';
import { AppError, isAppError } from '../../../base/errors.js';
import { SharedRun } from '../../../base/shared-run.js';
import { temporaryName } from '../../../files/atomic/staging.js';
import { withLock } from '../../../files/locks/file-lock.js';
import { claimFolder, removeEmptyFolder } from '../../../files/paths/folders.js';
import type { ConversationDocument } from '../document/document.js';
import { notFound, requireRef } from '../refs.js';
import type { StoreCore } from '../store-core.js';
import type { AppendRequest, PastFields, PastMessage } from '../writing/append.js';
import { applyAppends, withIds } from '../writing/append.js';
import type { AppendResult, Created, NewConversation } from '../writing/writer.js';
import { meansAway } from './away-errors.js';
import { type DirectWrites, Replay, type Waiting } from './replay.js';
import { Retry } from './retry.js';
import { WaitingViews } from './waiting-views.js';

const MAX_WRITES = 1000;
const MAX_BYTES = 32 * 1024 * 1024;

export interface Unwritten {
  readonly conversationId: string;
  readonly messageIds: readonly string[];
  /** Set where the store is back, and the write was refused for another reason. */
  readonly reason?: string;
}

export interface StayingState {
  readonly isAway: boolean;
  readonly reason: string;
  readonly since: string;
  readonly waiting: number;
  readonly refused: readonly Unwritten[];
}

export class DeferredWrites {
  readonly #core: StoreCore;
  readonly #writes: DirectWrites;
  readonly #views: WaitingViews;
  readonly #queue: Waiting[] = [];
  readonly #refused: Unwritten[] = [];
  readonly #replay: Replay;
  readonly #drains = new SharedRun(() => this.#drain());
  readonly #retry = new Retry(() => this.settle());
  #bytes = 0;
  /** What is kept is kept one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #lastIdMs = 0;
  #trouble: { readonly reason: string; readonly since: string } | undefined;
  #wasAway = false;

  constructor(core: StoreCore, writes: DirectWrites) {
    this.#core = core;
    this.#writes = writes;
    this.#views = new WaitingViews(core);
    this.#replay = new Replay(core, writes);
    core.whenAway(() => {
      this.#wasAway = true;
      if (core.presence) this.#note(core.presence.error());
      this.#retry.start();
    });
  }

  /** Present while the store is away, or while something waits or was refused. */
  state(): StayingState | undefined {
    const isAway = this.isAway;
    if (!isAway && this.#queue.length === 0 && this.#refused.length === 0) return undefined;
    const { reason = 'a write was refused', since = '' } = this.#trouble ?? {};
    return { isAway, reason, since, waiting: this.#queue.length, refused: [...this.#refused] };
  }

  get isAway(): boolean {
    return this.#core.presence?.isHere() === false;
  }

  /** STORAGE_UNAVAILABLE while the folder is away. */
  requireHere(): void {
    this.#core.presence?.require();
  }

  /** What readers see of a conversation of which something waits. */
  view(conversationId: string) {
    return this.#views.get(conversationId);
  }

  isWaiting(conversationId: string, messageId: string): boolean {
    return this.#queue.some(
      (each) =>
        each.conversationId === conversationId && each.messages.some(({ id }) => id === messageId),
    );
  }

  /** What could not be written; complete after `close`. */
  unwritten(): readonly Unwritten[] {
    const left = this.#queue.map(({ conversationId, messages }) => ({
      conversationId,
      messageIds: messages.map(({ id = '' }) => id),
    }));
    return [...this.#refused, ...left];
  }

  /**
   * For a request that failed with `failure`, or may not overtake what waits: keeps it, or writes it, or throws.
   * Its messages are screened and have ids.
   */
  append(ref: string, request: AppendRequest, failure?: unknown): Promise<AppendResult> {
    const now = () => this.#writes.commit(ref, request);
    if (!this.#mayDefer(request.options))
      return failure === undefined ? now() : Promise.reject(failure);
    return this.#now(
      () => (failure === undefined ? now() : Promise.reject(failure)),
      () => this.#keepAppend(ref, request),
    );
  }

  async create(conversation: NewConversation): Promise<Created> {
    const { mayDefer, ...plain } = conversation;
    if (!this.#mayDefer({ mayDefer })) return this.#writes.create(plain);
    const { messages: texts = [], ...others } = plain;
    const fields = await this.#core.screenedValue(others);
    const { messages, ...noted } = await this.#core.screened(texts);
    const createdAt = plain.createdAt ?? isoTime(this.#newIdMs());
    const ready = { ...fields, createdAt, messages: withIds(messages), isScreened: true };
    const result = await this.#now(
      () => this.#writes.create(ready),
      () => this.#keepNew(ready),
    );
    return { ...result, ...noted };
  }

  /** Writes what waits, as far as the store takes it. Cheap where nothing does. */
  async settle(): Promise<boolean> {
    const isHere = !this.isAway;
    if (isHere && this.#wasAway) {
      await this.#core.catalogue.refresh();
      this.#wasAway = false;
    }
    if (isHere && this.#queue.length > 0) await this.#drains.run();
    if (this.isAway || this.#queue.length > 0) return false;
    if (this.#refused.length === 0) this.#trouble = undefined;
    return true;
  }

  /** Tries once more; `unwritten` tells what is left. */
  async close(): Promise<void> {
    this.#retry.stop();
    await this.settle().catch(() => false);
    this.#retry.stop();
  }

  #mayDefer({ mayDefer }: Pick<NewConversation, 'mayDefer'>): boolean {
    return mayDefer === true && this.#core.presence !== undefined;
  }

  /** `later` keeps in memory what `now` cannot write, or what must not overtake what waits. */
  async #now<T>(now: () => Promise<T>, later: () => Promise<T>): Promise<T> {
    if (this.#queue.length > 0) await this.settle();
    if (this.#queue.length === 0) {
      try {
        return await now();
      } catch (error) {
        if (!(await this.#isAwayBecauseOf(error))) throw error;
        this.#note(error);
      }
    }
    const kept = this.#turn.then(later);
    this.#turn = kept.catch(() => undefined);
    return kept;
  }

  async #isAwayBecauseOf(error: unknown): Promise<boolean> {
    const answer = meansAway(error);
    if (answer !== 'maybe') return answer === 'yes';
    if (this.isAway) return true;
    const probe = temporaryName();
    const { logsFolder } = this.#core.options;
    try {
      await claimFolder(`${logsFolder}/${probe}`);
      await withLock(this.#core.locksFolder, probe, async () => undefined);
      return false;
    } catch (failure) {
      return meansAway(failure) !== 'no';
    } finally {
      await removeEmptyFolder(`${logsFolder}/${probe}`).catch(() => false);
    }
  }

  #note(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const { since = isoTime(this.#core.clock.now()) } = this.#trouble ?? {};
    this.#trouble = { reason, since };
  }

  async #keepAppend(ref: string, request: AppendRequest): Promise<AppendResult> {
    requireRef(ref);
    const id = await this.#core.resolve(ref);
    const { create } = request.options;
    const document = id === undefined ? undefined : await this.#views.of(id);
    if (document !== undefined) return this.#keep(document, request);
    if (!create || requireRef(ref) === 'id') throw notFound(ref);
    const fields = typeof create === 'object' ? create : {};
    return this.#keepWith({ ...fields, clientId: ref }, request);
  }

  async #keepNew(conversation: NewConversation): Promise<Created> {
    const { messages = [], isKeyFree: _, isScreened: __, ...fields } = conversation;
    const result = await this.#keepWith(fields, { messages, options: {} });
    return { ...result.head, messages: result.messages };
  }

  #keepWith(given: PastFields, request: AppendRequest) {
    const idMs = given.createdAt === undefined ? this.#newIdMs() : Date.parse(given.createdAt);
    const createdAt = isoTime(idMs);
    const conversationId = idOf(idMs);
    const { messages: _, ...fields } = { ...given, createdAt } as NewConversation;
    const document = this.#views.newDocument({ ...fields, conversationId, createdAt });
    return this.#keep(document, request, fields);
  }

  async #keep(
    document: ConversationDocument,
    request: AppendRequest,
    fields?: NewConversation,
  ): Promise<AppendResult> {
    const { conversationId } = document.head;
    const bytes = Buffer.byteLength(JSON.stringify(request.messages));
    this.#requireRoom(bytes);
    const known = storedOf(document, request.messages);
    if (known !== undefined) {
      this.#wait({ conversationId, messages: known.messages, bytes }, document);
      return { ...known, head: document.head, created: false };
    }
    const { maxMessages } = this.#core.options;
    const limits = { maxMessages, nowMs: this.#core.clock.now() };
    const [outcome] = applyAppends(document, [request], limits);
    if (outcome === undefined || 'error' in outcome) throw outcome?.error;
    const { messages, seq } = outcome.value;
    if (fields !== undefined || messages.length > 0) {
      this.#wait({ conversationId, messages, bytes, ...(fields && { fields }) }, document);
    }
    return { messages, seq, head: document.head, created: fields !== undefined };
  }

  #wait(waiting: Waiting, document: ConversationDocument): void {
    this.#queue.push(waiting);
    this.#bytes += waiting.bytes;
    this.#views.show(document, waiting.fields !== undefined);
    this.#retry.start();
  }

  #requireRoom(bytes: number): void {
    if (this.#queue.length < MAX_WRITES && this.#bytes + bytes <= MAX_BYTES) return;
    const { reason = '' } = this.#trouble ?? {};
    throw new AppError(
      'STORAGE_UNAVAILABLE',
      `Nothing was saved: ${this.#queue.length} writes wait in memory already, and no more fit (${reason}).`,
      { details: { waiting: this.#queue.length, bytes: this.#bytes } },
    );
  }

  /** A millisecond of its own in this process; another process's conversation may still have it. */
  #newIdMs(): number {
    const taken = (ms: number) => this.#core.waiting.has(idOf(ms));
    let ms = Math.max(this.#core.clock.now(), this.#lastIdMs + 1);
    while (taken(ms)) ms += 1;
    this.#lastIdMs = ms;
    return ms;
  }

  async #drain(): Promise<void> {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      try {
        await this.#replay.write(first);
      } catch (error) {
        const isOver = meansAway(error) === 'no' && !isAppError(error, 'LOCKED');
        if (!isOver) return this.#note(error);
        this.#refuse(first, error);
      }
      this.#queue.shift();
      this.#bytes -= first.bytes;
      const { conversationId } = first;
      if (!this.#queue.some((each) => each.conversationId === conversationId)) {
        await this.#views.drop(conversationId);
      }
    }
  }

  #refuse({ conversationId, messages }: Waiting, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const messageIds = messages.map(({ id = '' }) => id);
    this.#refused.push({ conversationId, messageIds, reason });
    this.#core.log.error(
      { err: error, conversationId, messageIds },
      'a write that waited was lost',
    );
  }
}

const idOf = (ms: number) =>
  `${isoTime(ms).slice(0, 10).replaceAll('-', '')}-${String(ms).padStart(13, '0')}`;

/** The messages as they are in the document: the attempt that failed had replaced the file already. */
function storedOf(document: ConversationDocument, messages: readonly PastMessage[]) {
  const id = Array.isArray(messages) ? messages[0]?.id : undefined;
  const at = typeof id === 'string' ? document.positionOf(id) : undefined;
  if (at === undefined) return undefined;
  const stored = messages.flatMap((_, index) => document.message(at + index + 1) ?? []);
  return { messages: stored, seq: at + 1 };
}
