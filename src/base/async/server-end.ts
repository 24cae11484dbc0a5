/**
 * The end of the server, or of an HTTP session, as the reason of an aborted signal: unlike a client that cancels
 * its call, it can wait a little.
 */
export class ServerEndError extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super('The server ends.');
  }
}

/**
 * A signal for a request that is paid for: aborted when `signal` is aborted, but only `graceMs` later if the
 * server ends, so that an answer that arrives in this time is not lost.
 */
export function withGrace(signal: AbortSignal, graceMs: number): AbortSignal {
  if (signal.aborted) return signal;
  const late = new AbortController();
  const abort = () => late.abort(signal.reason);
  const onAbort = () => {
    if (signal.reason instanceof ServerEndError) setTimeout(abort, graceMs).unref();
    else abort();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return late.signal;
}
