/**
 * What one call tells of its progress, in the form the protocol wants: numbers that only grow. A call
 * that has been silent for a second says that it is still at work, so that a client which measures
 * its patience by progress waits for every tool, also for one that cannot count its steps.
 */

import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../base/log.js';

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

  /** What is not more than was told before is left out. */
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
    const next = { message: 'still at work', ...rest, progress: progress + BEAT };
    // A total that is reached would say that all is done.
    const { total, ...open } = next;
    this.report(total !== undefined && total > next.progress ? next : open);
  }
}

/** `undefined` where the client asked for none. */
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
