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
 * Runs `work`, a request that is paid for. Its signal is aborted when `signal` is aborted, but only `graceMs`
 * later if the server ends, so that an answer that arrives in this time is not lost.
 */
export async function withGrace<T>(
  signal: AbortSignal,
  graceMs: number,
  work: (late: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) return work(signal);
  const late = new AbortController();
  const abort = () => late.abort(signal.reason);
  const onAbort = () => {
    if (signal.reason instanceof ServerEndError) setTimeout(abort, graceMs).unref();
    else abort();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(late.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
