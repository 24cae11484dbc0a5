/**
 * Makes summaries with the language models that the user has allowed: the models are tried in the order of
 * the list until one succeeds. Before a request, it reports to whom it sends how much. A model whose answer
 * failed for a summary is not asked for the same summary again in the next ten minutes (paid-failures.ts),
 * and a model that did not answer in time is tried last during this time.
 */

import type { GracePeriod } from '../../base/async/grace-period.js';
import { TimeSlice } from '../../base/async/time-slice.js';
import { type Clock, isoTime } from '../../base/clock.js';
import { AppError, isAppError } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { unusable } from '../../providers/llm/llm-errors.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import {
  type PaidFailure,
  type SummaryLevel,
  sourceHashOf,
} from '../../stores/summaries/summary-file.js';
import type { SummaryStore } from '../../stores/summaries/summary-store.js';
import { cancelled, summariseWith, type UsableModel } from './model-summary.js';
import { PaidFailures } from './paid-failures.js';
import { isAcceptable } from './quality.js';
import type { SummaryCall, SummaryWriter } from './summary-service.js';

export interface NamedModel extends UsableModel {
  /** Host and port to which the text is sent. */
  readonly receiver: string;
  /** The settings of the provider that decide about its answers. */
  readonly settings: string;
}

export interface ModelWriterOptions {
  /** The allowed models, in the order in which they are tried. */
  models(): Promise<readonly NamedModel[]>;
  recordUse(name: string): Promise<void>;
  /** Where failures are stored for other servers. */
  readonly failures: Pick<SummaryStore, 'failures' | 'addFailure'>;
  readonly grace: GracePeriod;
  readonly clock: Clock;
  readonly log: Log;
}

export class ModelWriter implements SummaryWriter {
  readonly #options: ModelWriterOptions;
  /** By provider and its settings: the size of parts that worked. */
  readonly #partTokens = new Map<string, number>();
  readonly #failed: PaidFailures;

  constructor(options: ModelWriterOptions) {
    this.#options = options;
    this.#failed = new PaidFailures(options.clock);
  }

  async isReady(): Promise<boolean> {
    try {
      return (await this.#options.models()).length > 0;
    } catch (error) {
      if (!isAppError(error)) throw error;
      return true; // `write` then throws the error.
    }
  }

  async write(conversation: Conversation, level: SummaryLevel, call: SummaryCall) {
    const failures: { name: string; error: AppError }[] = [];
    const summary = [conversation.conversationId, level, sourceHashOf(conversation.messages)];
    const stored = await this.#failuresOf(conversation.conversationId);
    for (const usable of await this.#inOrder(call)) {
      const { name, settings } = usable;
      const request = JSON.stringify([name, settings, ...summary]);
      const earlier = call.refresh
        ? undefined
        : this.#failed.of(request, stored, call.isBackground);
      if (earlier !== undefined) {
        failures.push({ name, error: earlier });
        continue;
      }
      if (call.signal?.aborted) throw cancelled();
      try {
        const { text, model } = await this.#ask(usable, conversation, level, call);
        if (!(await isAcceptable(text, conversation, new TimeSlice()))) {
          throw unusable(name, 'an answer that is not a summary of the conversation');
        }
        return { text, provider: name, model };
      } catch (error) {
        if (!isAppError(error) || error.code === 'CANCELLED') throw error;
        this.#options.log.warn({ err: error, provider: name }, 'a language model failed');
        if (this.#failed.add(request, error))
          await this.#store(conversation.conversationId, { level, provider: name, request }, error);
        if (error.code === 'TIMEOUT') this.#failed.add(serverOf(usable), error);
        failures.push({ name, error });
      }
    }
    if (failures.length > 0) throw allFailed(failures);
    return undefined;
  }

  async #failuresOf(conversationId: string): Promise<readonly PaidFailure[]> {
    return this.#options.failures.failures(conversationId).catch((error: unknown) => {
      if (!isAppError(error)) throw error;
      return []; // `SummaryService` reports a damaged file
    });
  }

  /** Never throws an AppError: this process remembers the failure in any case. */
  async #store(
    conversationId: string,
    { request, ...failure }: Pick<PaidFailure, 'level' | 'provider' | 'request'>,
    { code }: AppError,
  ): Promise<void> {
    const { failures, clock, log } = this.#options;
    const failedAt = isoTime(clock.now());
    try {
      const record = { ...failure, request: sha256Hex(request), code, failedAt };
      await failures.addFailure(conversationId, record);
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ err: error, conversationId }, 'the failure of a model was not stored');
    }
  }

  /** Models that did not answer in time come last, so that not every summary waits for them. */
  async #inOrder({ refresh }: SummaryCall): Promise<NamedModel[]> {
    const isLate = (model: NamedModel) =>
      refresh !== true && this.#failed.of(serverOf(model)) !== undefined;
    return [...(await this.#options.models())].sort(
      (a, b) => Number(isLate(a)) - Number(isLate(b)),
    );
  }

  async #ask(
    usable: NamedModel,
    conversation: Conversation,
    level: SummaryLevel,
    call: SummaryCall,
  ) {
    const { name, receiver } = usable;
    const { conversationId } = conversation;
    const server = serverOf(usable);
    const written = await summariseWith(usable, conversation, level, {
      signal: this.#options.grace.signal,
      isWanted: () => call.signal?.aborted !== true,
      partTokens: this.#partTokens.get(server),
      onSend: (done, total, tokens) => {
        this.#options.log.info(
          { provider: name, receiver, conversationId, tokens },
          'sending messages to a language model',
        );
        call.progress?.(
          done,
          total,
          `Sending about ${tokens} tokens of the conversation to ${receiver} (${name})`,
        );
      },
    });
    this.#partTokens.set(server, written.partTokens);
    await this.#options.recordUse(name).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'the last use of a provider was not noted');
    });
    return written;
  }
}

/** A provider and its settings. */
const serverOf = ({ name, settings }: NamedModel) => JSON.stringify([name, settings]);

function allFailed(failures: readonly { name: string; error: AppError }[]): AppError {
  const [only, second] = failures;
  if (only !== undefined && second === undefined) return only.error;
  const tried = failures.map(({ name, error }) => ({ provider: name, code: error.code }));
  const last = failures.at(-1)?.error;
  const outcomes = new Set(failures.map(({ error }) => error.details?.['outcome']));
  const isFree = [...outcomes].every((each) => each === 'not_sent' || each === 'refused');
  const reasons = failures.map(({ name, error }) => `${name}: ${error.message}`).join(' ');
  const hints = failures.flatMap(({ error }) => (error.isGeneralHint ? [] : [error.hint]));
  const isRemembered = failures.every(({ error }) => error.details?.['isRemembered'] === true);
  return new AppError('PROVIDER', `No language model answered. ${reasons}`, {
    ...(hints.length > 0 && { hint: [...new Set(hints)].join(' ') }),
    details: {
      tried,
      outcome: isFree ? 'refused' : 'unknown',
      ...(isRemembered && { isRemembered }),
    },
    cause: last,
  });
}
