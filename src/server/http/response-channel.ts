/**
 * The response to a POST with requests: an event stream, or JSON. A short response is sent in one piece.
 * If there is no answer yet after a short time, the headers of an event stream are sent, which shows that
 * the call was accepted, and later comments keep the connection open.
 */
import type { ServerResponse } from 'node:http';
import type { StatelessChannel } from '../mcp/stateless/stateless-exchange.js';

/** Most calls are answered in this time. */
const OPEN_MS = 50;
const KEEP_ALIVE_MS = 15_000;
/** A client that has not read so much disconnected without saying so, or sleeps. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

export class ResponseChannel implements StatelessChannel {
  readonly #res: ServerResponse;
  readonly #isStream: boolean;
  #timer: NodeJS.Timeout;

  /** `isStream`: false if the response is JSON when its answer comes first, and soon. */
  constructor(res: ServerResponse, isStream: boolean) {
    this.#res = res;
    this.#isStream = isStream;
    this.#timer = setTimeout(() => this.open(), OPEN_MS);
    res.once('close', () => clearTimeout(this.#timer));
  }

  /** Sends the headers of an event stream, if they are not sent yet. */
  open(): void {
    if (this.#res.headersSent || !this.#isOpen) return;
    this.#setStreamHeaders();
    this.#res.flushHeaders();
    clearTimeout(this.#timer);
    const keepAlive = () => this.#isOpen && this.#res.write(': keepalive\n\n');
    this.#timer = setInterval(keepAlive, KEEP_ALIVE_MS).unref();
  }

  notify(message: unknown): void {
    if (!this.#isOpen) return;
    this.open();
    writeEvent(this.#res, eventOf(message));
  }

  /** Sends the last message, and ends the response. */
  answer(message: unknown): void {
    if (!this.#isOpen) return;
    const isJson = !this.#isStream && !this.#res.headersSent;
    if (isJson) this.#res.setHeader('Content-Type', 'application/json');
    else this.#setStreamHeaders();
    this.#res.end(isJson ? JSON.stringify(message) : eventOf(message));
  }

  /** Ends the response. Without an answer it is an empty event stream. */
  close(): void {
    if (!this.#isOpen) return;
    this.open();
    this.#res.end();
  }

  #setStreamHeaders(): void {
    if (this.#res.headersSent) return;
    for (const [name, value] of STREAM_HEADERS) this.#res.setHeader(name, value);
  }

  get #isOpen(): boolean {
    return !this.#res.writableEnded && !this.#res.destroyed;
  }
}

/** Writes to an event stream, or ends the connection if its client does not read. */
export function writeEvent(res: ServerResponse, event: string): void {
  if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
  else res.write(event);
}

const eventOf = (message: unknown) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

const STREAM_HEADERS = [
  ['Content-Type', 'text/event-stream'],
  // `no-transform` and `X-Accel-Buffering` ask proxies not to delay events.
  ['Cache-Control', 'no-store, no-transform'],
  ['X-Accel-Buffering', 'no'],
] as const;
