/**
 * The progress notifications of one call. Their numbers always increase, as the protocol requires. If a
 * call reports nothing for a second, its last report is sent again: some clients extend their time limit
 * with each notification, and not every tool can count its steps.
 */
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../../base/log.js';
import type { ToolCall } from '../../tools/define-tool.js';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

type Report = Parameters<ToolCall['progress']>[0];

const HEARTBEAT_MS = 1000;
/** Added for a repeated report; much smaller than a step of a tool. */
const HEARTBEAT_STEP = 0.001;

class CallProgress {
  readonly #send: (report: Report) => void;
  readonly #timer: NodeJS.Timeout;
  #last: Report | undefined;

  constructor(send: (report: Report) => void) {
    this.#send = send;
    this.#timer = setInterval(() => this.#heartbeat(), HEARTBEAT_MS).unref();
  }

  /** Ignores a report whose number has not increased. */
  readonly report = (report: Report): void => {
    if (this.#last !== undefined && report.progress <= this.#last.progress) return;
    this.#last = report;
    this.#timer.refresh();
    this.#send(report);
  };

  end(): void {
    clearInterval(this.#timer);
  }

  #heartbeat(): void {
    const { progress = -HEARTBEAT_STEP, ...rest } = this.#last ?? {};
    const next = { message: 'still running', ...rest, progress: progress + HEARTBEAT_STEP };
    // Progress equal to the total would mean that the call is done.
    const { total, ...open } = next;
    this.report(total !== undefined && total > next.progress ? next : open);
  }
}

/** `undefined` if the client did not ask for progress. */
export function progressOf({ _meta, sendNotification }: Extra, log: Log): CallProgress | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return new CallProgress((report) => {
    sendNotification({
      method: 'notifications/progress',
      params: { progressToken, ...report },
    }).catch((error: unknown) => log.debug({ err: error }, 'progress was not sent'));
  });
}
