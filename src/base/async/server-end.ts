/** Reasons of an aborted signal. A client that cancels its call gives another reason. */

/** The server ends: a call that waits should answer soon. */
export class ServerEndError extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super('The server ends.');
  }
}

/** An HTTP session ends, and the server continues. */
export class SessionEndError extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super('The session ends.');
  }
}
