/**
 * The event stream of the page: the ids of changed conversations, notes, subjects and insights. Events
 * have no content; the page loads the content that it shows.
 */
import type { Response } from 'express';
import type { App } from '../../../app.js';
import { resourceKinds } from '../../../resources/resources.js';
import { writeEvent } from '../response-channel.js';

/** Changes in this time are sent together, because an import writes thousands of times. */
const GATHER_MS = 200;
/** The page opens a new stream if it gets nothing for more than twice this time (page/src/changes/event-stream.ts). */
const KEEP_ALIVE_MS = 15_000;
/** For more changes at once, `*` is sent and the page loads everything again. */
const MAX_KEYS = 100;

export class PageEvents {
  readonly #streams = new Set<Response>();
  readonly #changed = new Map<string, Set<string>>();
  #unfollow: (() => void)[] = [];
  #sending: NodeJS.Timeout | undefined;
  #keepAlive: NodeJS.Timeout | undefined;

  /** Uses the response as an event stream, until it is closed or `close` is called. */
  open(res: Response, app: App): void {
    // The browser disconnected while the App was opened. Its event `close` does not come again.
    if (res.destroyed) return;
    res.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    res.flushHeaders();
    res.write('retry: 1000\n\n');
    this.#streams.add(res);
    res.once('close', () => {
      this.#streams.delete(res);
      if (this.#streams.size === 0) this.#stop();
    });
    if (this.#unfollow.length > 0) return;
    this.#unfollow = [
      ...resourceKinds.map(({ name, follow }) =>
        follow(app, {
          changed: (key) => this.#note(name, key ?? '*'),
          listed: () => undefined,
        }),
      ),
      app.insights.follow(({ id }) => this.#note('insight', id)),
    ];
    this.#keepAlive = setInterval(
      () => this.#write('event: alive\ndata:\n\n'),
      KEEP_ALIVE_MS,
    ).unref();
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
    this.#stop();
  }

  #note(kind: string, key: string): void {
    const keys = this.#changed.get(kind) ?? new Set();
    this.#changed.set(kind, keys.add(keys.size < MAX_KEYS ? key : '*'));
    this.#sending ??= setTimeout(() => this.#send(), GATHER_MS).unref();
  }

  #send(): void {
    this.#sending = undefined;
    for (const [kind, keys] of this.#changed) {
      this.#write(`event: changed\ndata: ${JSON.stringify({ kind, keys: [...keys] })}\n\n`);
    }
    this.#changed.clear();
  }

  #write(text: string): void {
    for (const stream of this.#streams) writeEvent(stream, text);
  }

  #stop(): void {
    clearTimeout(this.#sending);
    clearInterval(this.#keepAlive);
    this.#sending = undefined;
    this.#changed.clear();
    for (const stop of this.#unfollow) stop();
    this.#unfollow = [];
  }
}
