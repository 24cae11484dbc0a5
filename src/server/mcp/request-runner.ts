/**
 * Runs a request of a client for a tool, resource, prompt or completion: counts it as accepted, opens the
 * app, sends progress, and converts errors into the errors that the client receives.
 */
import type { App } from '../../app.js';
import type { AppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { ToolCall } from '../../tools/define-tool.js';
import type { AcceptedCalls } from '../accepted-calls.js';
import { type Extra, progressOf } from './call-progress.js';
import { toAppError } from './errors/error-result.js';
import { RpcError, toRpcError } from './errors/rpc-error.js';

const throwRpcError = (error: AppError): never => {
  throw toRpcError(error);
};

export class RequestRunner {
  readonly #app: () => App | Promise<App>;
  readonly #calls: AcceptedCalls;
  readonly #log: Log;

  constructor(app: () => App | Promise<App>, calls: AcceptedCalls, log: Log) {
    this.#app = app;
    this.#calls = calls;
    this.#log = log;
  }

  /** Aborted when the server ends. */
  get endSignal(): AbortSignal {
    return this.#calls.endSignal;
  }

  /** `onFailure` returns a result for an error, or throws. By default it throws RpcError. */
  run<T>(
    extra: Extra,
    work: (app: App, request: Omit<ToolCall, 'isRemote'>) => Promise<T>,
    onFailure: (error: AppError) => T = throwRpcError,
  ): Promise<T> {
    return this.#calls.track(async () => {
      const signal = AbortSignal.any([extra.signal, this.#calls.endSignal]);
      const progress = progressOf(extra, this.#log);
      try {
        const report = progress?.report ?? (() => undefined);
        const app = await this.#app();
        app.requireUnconverted();
        return await work(app, { signal, progress: report });
      } catch (error) {
        if (error instanceof RpcError) throw error;
        return onFailure(toAppError(error, signal, this.#log));
      } finally {
        progress?.end();
      }
    });
  }
}

/** Refuses a cursor for a list that has only one page. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor === undefined) return;
  throw new RpcError(-32602, 'The cursor is unknown: this list has only one page.');
}
