/**
 * Removes secrets and private parts from messages before they are stored. The masker is called for one message
 * after the other, so that messages keep their order. The store defines the interface of the masker,
 * `privacy/secret-masker.ts` implements it, and `app` connects the two.
 */
import type { JsonObject } from '../../../base/json-fields.js';
import type { TextMasker } from '../../text-masker.js';
import { requireDepth } from '../document/json-copy.js';

export interface MaskableMessage {
  readonly content: string;
  readonly metadata?: JsonObject | undefined;
}

export interface Masker extends TextMasker {
  /** A fast check: true if certainly nothing must be removed. */
  isClean(messages: readonly MaskableMessage[]): boolean;
  /**
   * Returns the messages without secrets and private parts, and the kinds of the removed parts, such as
   * `GITHUB_TOKEN`, one entry for each removal.
   */
  mask<T extends MaskableMessage>(
    messages: readonly T[],
  ): Promise<{ readonly messages: readonly T[]; readonly masked: readonly string[] }>;
}

export interface MaskedMessages<T> {
  readonly messages: readonly T[];
  /** Absent if nothing was removed. */
  readonly masked?: readonly string[];
}

/**
 * Masks messages in the order of the calls. Most messages pass the fast check and are returned at once,
 * without a promise, unless an earlier call is still running. So messages that arrive together are written
 * together.
 */
export class MaskQueue {
  readonly #masker: Masker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(masker: Masker | undefined) {
    this.#masker = masker;
  }

  mask<T extends MaskableMessage>(
    given: readonly T[],
  ): MaskedMessages<T> | Promise<MaskedMessages<T>> {
    const masker = this.#masker;
    requireMessagesDepth(given);
    // A value that is not a message is not masked. The writer refuses it later.
    const isNothing = masker === undefined || !areMessages(given) || masker.isClean(given);
    if (isNothing && this.#waiting === 0) return { messages: given };
    const turn = this.#last.then(async () => {
      if (isNothing) return { messages: given };
      const { messages, masked } = await masker.mask(given);
      return { messages, ...(masked.length > 0 && { masked }) };
    });
    this.#waiting += 1;
    const ended = () => {
      this.#waiting -= 1;
    };
    this.#last = turn.then(ended, ended);
    return turn;
  }
}

/** The masker reads every value of the metadata. VALIDATION_ERROR. */
function requireMessagesDepth(given: unknown): void {
  if (!Array.isArray(given)) return;
  for (const message of given) if (message?.metadata !== undefined) requireDepth(message.metadata);
}

const areMessages = (given: unknown): boolean =>
  Array.isArray(given) && given.every((each) => typeof each?.content === 'string');
