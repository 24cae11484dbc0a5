/**
 * Checks the `conversation.json` of a conversation and repairs it under the conversation's lock. The damaged
 * file is kept as `conversation.broken-<UTC time>.json`. If the process is killed at any moment,
 * `conversation.json` is the damaged file or the repaired one.
 */
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { runInSlices } from '../../../base/async/time-slice.js';
import { sleep } from '../../../base/clock.js';
import { type AppError, isAppError } from '../../../base/errors.js';
import { withLock } from '../../../files/locks/file-lock.js';
import { locksFolderIn } from '../../../files/locks/lock-folders.js';
import { brokenName } from '../../../files/paths/broken-names.js';
import { documentSteps, parseDocument } from '../../../files/read/json-document.js';
import { modifiedMs, type Stamp } from '../../../files/read/stamp.js';
import { readWhole, readWholeAtOnce } from '../../../files/read/whole-file.js';
import { isDamagedSeal } from '../../../files/sealing/sealed-form.js';
import { type Codec, plainCodec } from '../../../files/sealing/text-codec.js';
import type { ConversationDocument } from '../document/document.js';
import { conversationSteps, parseConversation } from '../document/parse-conversation.js';
import type { ConversationDocumentsOptions } from '../files/conversation-documents.js';
import { type Fault, faultsOf, hasSeveralLists, SEVERAL_LISTS } from './inspect.js';
import { salvage } from './salvage.js';

/** A file that was not written for this long is not being saved by an editor. */
const SETTLED_MS = 1_000;
const MAX_ATTEMPTS = 20;

export interface Condition {
  readonly path: string;
  readonly stamp: Stamp;
  /** Absent if the file cannot be read. */
  readonly document?: ConversationDocument;
  /** Why the file cannot be read. */
  readonly damage?: AppError;
  /** What is wrong with a readable file. */
  readonly faults: readonly Fault[];
  /**
   * The number of messages that `repair` would recover from a damaged file. If there are none, it cannot be
   * repaired.
   */
  readonly salvageable: number;
  /** False if `repair` has to replace bytes that are not UTF-8. */
  readonly isUtf8: boolean;
}

export interface Repaired {
  readonly messages: number;
  /** The name of the kept damaged file; absent if the file was readable. */
  readonly keptAs?: string;
}

export class ConversationRepairer {
  readonly #options: ConversationDocumentsOptions;

  constructor(options: ConversationDocumentsOptions) {
    this.#options = options;
  }

  /**
   * Reads the file synchronously if it is small, so a caller that examines many yields to the event loop.
   * Returns `undefined` if there is no file. `path`: that of a deleted conversation in the trash.
   * FILESYSTEM_ERROR, PATH_ESCAPE, TOO_LARGE.
   */
  async examine(
    conversationId: string,
    path = this.#fileOf(conversationId),
  ): Promise<Condition | undefined> {
    const found = await readWholeAtOnce(path);
    if (found === undefined) return undefined;
    const { stamp } = found;
    try {
      const steps = documentSteps(found.bytes, 'messages', path, 'CONVERSATION_CORRUPTED');
      const { value } = await runInSlices(steps);
      const location = { path, conversationId };
      const { document } = await runInSlices(conversationSteps(value, location, this.#codec));
      const faults = allFaults(found.bytes, value, conversationId);
      return { path, stamp, document, faults, salvageable: 0, isUtf8: true };
    } catch (error) {
      if (!isAppError(error)) throw error;
      const saved = isSalvageable(error)
        ? salvage(textOf(found.bytes), { path, conversationId }, this.#codec)
        : undefined;
      return {
        path,
        stamp,
        damage: error,
        faults: [],
        salvageable: saved?.length ?? 0,
        isUtf8: isUtf8(found.bytes),
      };
    }
  }

  /**
   * Repairs the file. Durable when it resolves. Returns `undefined` if there is nothing to repair.
   * CONVERSATION_CORRUPTED (no complete message is left), FORMAT_TOO_NEW, LOCKED, STORAGE_FULL,
   * FILESYSTEM_ERROR; then the file is unchanged.
   */
  repair(conversationId: string): Promise<Repaired | undefined> {
    const { logsFolder, clock } = this.#options;
    const path = this.#fileOf(conversationId);
    return withLock(locksFolderIn(logsFolder), conversationId, async (lock) => {
      const found = await this.#settled(conversationId);
      if (found === undefined) return undefined;
      const { document, isSalvaged } = found;
      if (document === undefined) return undefined;
      const keptAs = brokenName('conversation', clock.now());
      if (isSalvaged) {
        await lock.link(path, join(logsFolder, conversationId, keptAs), this.#options);
      }
      const { head, length } = document;
      // The hard link does not change the stamp of the file.
      await lock.replace(path, document.render(head), this.#options, { base: found.stamp });
      return { messages: length, ...(isSalvaged && { keptAs }) };
    });
  }

  /** Reads a damaged file of the last second again later: an editor may be saving it. */
  async #settled(conversationId: string) {
    for (let attempt = 1; ; attempt += 1) {
      const found = await readWhole(this.#fileOf(conversationId));
      if (found === undefined) return undefined;
      const repaired = this.#repaired(found.bytes, conversationId);
      const ageMs = this.#options.clock.now() - modifiedMs(found.stamp);
      const isFresh = repaired.isSalvaged && Math.abs(ageMs) < SETTLED_MS;
      if (!isFresh || attempt === MAX_ATTEMPTS) return { ...repaired, stamp: found.stamp };
      await sleep(SETTLED_MS / 4);
    }
  }

  #repaired(
    bytes: Buffer,
    conversationId: string,
  ): { document: ConversationDocument | undefined; isSalvaged: boolean } {
    const location = { path: this.#fileOf(conversationId), conversationId };
    try {
      const value = parseDocument(bytes, location.path, 'CONVERSATION_CORRUPTED');
      const document = parseConversation(value, location, this.#codec);
      const isWanted = allFaults(bytes, value, conversationId).some((fault) => fault.isCorrectable);
      return { document: isWanted ? document : undefined, isSalvaged: false };
    } catch (error) {
      if (!isSalvageable(error)) throw error;
      const document = salvage(textOf(bytes), location, this.#codec);
      if (document === undefined) throw error;
      return { document, isSalvaged: true };
    }
  }

  get #codec(): Codec {
    return this.#options.codec ?? plainCodec;
  }

  #fileOf(conversationId: string): string {
    return join(this.#options.logsFolder, conversationId, 'conversation.json');
  }
}

const isSalvageable = (error: unknown): boolean =>
  isAppError(error, 'CONVERSATION_CORRUPTED') || isDamagedSeal(error);

/** With several lists nothing can be corrected: writing the file again would remove the other lists. */
function allFaults(bytes: Buffer, value: unknown, conversationId: string): Fault[] {
  const faults = faultsOf(value, conversationId);
  if (!hasSeveralLists(bytes)) return faults;
  return [SEVERAL_LISTS, ...faults.map(({ text }) => ({ text, isCorrectable: false }))];
}

/** Bytes that are not UTF-8 become replacement characters. */
const textOf = (bytes: Uint8Array) => new TextDecoder('utf-8').decode(bytes);
