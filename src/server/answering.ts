/**
 * How a request that is no tool call is answered: counted as accepted, with the app at hand, and every
 * failure turned into an error of the protocol whose `data` holds Daybook's own code.
 */
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  ErrorCode,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../app.js';
import type { AppError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { Calls } from './calls.js';
import { factsOf, toAppError } from './error-result.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The protocol's "resource not found". */
const RESOURCE_NOT_FOUND = -32002;
const PROTOCOL_CODES: { readonly [code in AppError['code']]?: number } = {
  CONVERSATION_NOT_FOUND: RESOURCE_NOT_FOUND,
  E_MB_FILE_NOT_FOUND: RESOURCE_NOT_FOUND,
  VALIDATION_ERROR: ErrorCode.InvalidParams,
  PATH_ESCAPE: ErrorCode.InvalidParams,
};

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

  answer<T>(
    extra: Extra,
    work: (app: App, call: { signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    return this.#calls.track(async () => {
      const signal = AbortSignal.any([extra.signal, this.#calls.endSignal]);
      try {
        return await work(await this.#app(), { signal });
      } catch (error) {
        throw protocolError(toAppError(error, signal, this.#log));
      }
    });
  }
}

function protocolError(error: AppError): McpError {
  const { code, message } = error;
  const number = PROTOCOL_CODES[code] ?? ErrorCode.InternalError;
  return new McpError(number, message, { 'daybook/error': factsOf(error) });
}
