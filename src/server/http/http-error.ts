/**
 * Answers to HTTP requests that are refused before an MCP server handles them: JSON-RPC errors with the
 * HTTP status of the MCP specification. The answer is never HTML and never contains a stack trace.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { systemClock } from '../../base/clock.js';
import { randomHex } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { RpcError } from '../mcp/errors/rpc-error.js';

/** The number that the SDK's transport uses for errors of the HTTP request itself. */
const REFUSED = -32000;
/** Time to read the answer for a client that is still sending its body. */
const LINGER_MS = 500;
const UNAUTHORIZED = 401;
/** At most one log line in this time, because an attacker can try many tokens. */
const REPORT_MS = 10_000;

export interface HttpErrorFacts {
  /** The number of the JSON-RPC error. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The id of the request, if it could be read. */
  readonly id?: string | number | null;
  readonly data?: unknown;
}

/** Thrown by the checks of a request; `answerHttpErrors` answers it. */
export class HttpError extends Error {
  readonly status: number;
  readonly facts: HttpErrorFacts;

  constructor(status: number, message: string, facts: HttpErrorFacts = {}) {
    super(message);
    this.status = status;
    this.facts = facts;
  }
}

/** Sends the error. A body that is still arriving is read and ignored for `LINGER_MS`. */
function refuse(req: IncomingMessage, res: ServerResponse, refused: HttpError): void {
  const { status, message, facts } = refused;
  const { code = REFUSED, headers = {}, id = null, data } = facts;
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message, data }, id });
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.setHeader('Content-Type', 'application/json');
  if (req.complete || !hasBody(req)) return void res.end(body);
  // Closing at once would reset the connection, and the client could not read the answer.
  res.setHeader('Connection', 'close');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.write(body);
  req.on('error', () => undefined).resume();
  setTimeout(() => res.end(), LINGER_MS).unref();
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Answers the error of a request. */
export type AnswerError = (error: unknown, req: IncomingMessage, res: ServerResponse) => void;

/** An unknown error is answered with a reference to the log. Requests without the right token are logged. */
export function answerHttpErrors(log: Log): AnswerError {
  const report = refusalReporter(log);
  return (error, req, res) => {
    const isDisconnected = req.destroyed && !req.complete;
    if (isDisconnected || res.headersSent) {
      log.debug({ err: error }, 'an HTTP exchange broke off');
      return void res.destroy();
    }
    if (error instanceof HttpError) {
      if (error.status === UNAUTHORIZED) report(req.socket.remoteAddress);
      return refuse(req, res, error);
    }
    if (error instanceof RpcError) {
      const { code, message, data } = error;
      return refuse(req, res, new HttpError(400, message, { code, data, id: error.id }));
    }
    if (isBadRequest(error)) return refuse(req, res, new HttpError(400, 'Bad request.'));
    const ref = randomHex(4);
    log.error({ err: error, ref }, 'internal error');
    const message = `Internal error (ref ${ref}).`;
    refuse(req, res, new HttpError(500, message, { code: ErrorCode.InternalError }));
  };
}

/** Errors of express itself, such as an address with invalid percent-encoding. */
const isBadRequest = (error: unknown) =>
  error instanceof Error && 'status' in error && error.status === 400;

/** Logs at most one line in REPORT_MS, with the number of refusals since the line before. */
function refusalReporter(log: Log) {
  let count = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  return (address: string | undefined) => {
    count += 1;
    if (systemClock.monotonic() - lastAt < REPORT_MS) return;
    lastAt = systemClock.monotonic();
    log.warn({ address, count }, 'requests without the right token were refused');
    count = 0;
  };
}
