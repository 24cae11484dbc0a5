/**
 * The progress notifications of one call, with numbers that only grow, as the protocol requires. A call
 * that has reported nothing for a second repeats its last report: clients that extend their time limit
 * with every notification then wait for every tool, also for one that cannot count its steps.
 */
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../../base/log.js';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface Report {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

const SILENCE_MS = 1000;
/** Small beside any step that a tool counts. */
const BEAT = 0.001;

export class CallProgress {
  readonly #send: (report: Report) => void;
  readonly #timer: NodeJS.Timeout;
  #last: Report | undefined;

  constructor(send: (report: Report) => void) {
    this.#send = send;
    this.#timer = setInterval(() => this.#beat(), SILENCE_MS).unref();
  }

  /** Leaves out a report whose number has not grown. */
  readonly report = (report: Report): void => {
    if (this.#last !== undefined && report.progress <= this.#last.progress) return;
    this.#last = report;
    this.#timer.refresh();
    this.#send(report);
  };

  end(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const { progress = -BEAT, ...rest } = this.#last ?? {};
    const next = { message: 'still running', ...rest, progress: progress + BEAT };
    // A total that is reached would mean that the call is done.
    const { total, ...open } = next;
    this.report(total !== undefined && total > next.progress ? next : open);
  }
}

/** `undefined` where the client asked for no progress. */
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
