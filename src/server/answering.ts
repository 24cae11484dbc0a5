/**
 * How a request that is no tool call is answered: counted as accepted, with the app at hand and its
 * progress told, and every failure turned into an error of the protocol whose `data` holds Daybook's
 * own code.
 */
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../app.js';
import type { AppError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { type Extra, progressOf, type Report } from './call-progress.js';
import type { Calls } from './calls.js';
import { factsOf, toAppError } from './error-result.js';

/** The protocol's "resource not found". */
const RESOURCE_NOT_FOUND = -32002;
const PROTOCOL_CODES: { readonly [code in AppError['code']]?: number } = {
  CONVERSATION_NOT_FOUND: RESOURCE_NOT_FOUND,
  E_MB_FILE_NOT_FOUND: RESOURCE_NOT_FOUND,
  VALIDATION_ERROR: ErrorCode.InvalidParams,
  PATH_ESCAPE: ErrorCode.InvalidParams,
};

export interface AnsweredRequest {
  readonly signal: AbortSignal;
  /** Tells the client, where it asked for that. */
  progress(report: Report): void;
}

export class Answering {
  readonly #app: () => App | Promise<App>;
  readonly #calls: Calls;
  readonly #log: Log;

  constructor(app: () => App | Promise<App>, calls: Calls, log: Log) {
    this.#app = app;
    this.#calls = calls;
    this.#log = log;
  }

  /** Aborted when the server ends. */
  get endSignal(): AbortSignal {
    return this.#calls.endSignal;
  }

  answer<T>(extra: Extra, work: (app: App, request: AnsweredRequest) => Promise<T>): Promise<T> {
    return this.#calls.track(async () => {
      const signal = AbortSignal.any([extra.signal, this.#calls.endSignal]);
      const progress = progressOf(extra, this.#log);
      try {
        const report = progress?.report ?? (() => undefined);
        return await work(await this.#app(), { signal, progress: report });
      } catch (error) {
        throw protocolError(toAppError(error, signal, this.#log));
      } finally {
        progress?.end();
      }
    });
  }
}

function protocolError(error: AppError): McpError {
  const { code, message } = error;
  const number = PROTOCOL_CODES[code] ?? ErrorCode.InternalError;
  return new McpError(number, message, { 'daybook/error': factsOf(error) });
}
