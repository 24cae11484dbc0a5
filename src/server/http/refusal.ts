/**
 * Answers to HTTP requests that reach no session: JSON-RPC errors without a request's id, under the
 * status that the MCP specification asks for. Never a page, never a stack.
 */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { NextFunction, Request, Response } from 'express';
import { randomHex } from '../../base/ids.js';
import type { Log } from '../../base/log.js';

/** The number that the SDK's transport gives to what is wrong with the HTTP request. */
const REFUSED = -32000;
/** Time for a client to read the answer while it is still sending what nobody wants. */
const LINGER_MS = 500;

export interface RefusalFacts {
  /** Of JSON-RPC. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the request, where that could be read. */
  readonly id?: string | number;
  readonly data?: unknown;
}

/** Thrown by what looks at a request; answered by `answerRefusal`. */
export class Refusal extends Error {
  readonly status: number;
  readonly facts: RefusalFacts;

  constructor(status: number, message: string, facts: RefusalFacts = {}) {
    super(message);
    this.status = status;
    this.facts = facts;
  }
}

/** Sends the refusal; of an upload that is not over, no more is read than politeness asks. */
function refuse(req: Request, res: Response, refusal: Refusal): void {
  const { status, message, facts } = refusal;
  const { code = REFUSED, headers = {}, id = null, data } = facts;
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message, data }, id });
  res.status(status).set(headers).set('Content-Type', 'application/json');
  if (req.complete || !hasBody(req)) return void res.end(body);
  // Closed at once, the connection would be reset and the client never read why.
  res.set({ Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) }).write(body);
  req.on('error', () => undefined).resume();
  setTimeout(() => res.end(), LINGER_MS).unref();
}

const hasBody = ({ headers }: Request) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** The last handler of the application: every error as JSON-RPC, unforeseen ones as a reference. */
export function answerRefusal(log: Log) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const hasGone = req.destroyed && !req.complete;
    if (hasGone || res.headersSent) {
      log.debug({ err: error }, 'an HTTP exchange broke off');
      return void res.destroy();
    }
    if (error instanceof Refusal) return refuse(req, res, error);
    if (isBadRequest(error)) return refuse(req, res, new Refusal(400, 'Bad request.'));
    const ref = randomHex(4);
    log.error({ err: error, ref }, 'internal error');
    const message = `Internal error (ref ${ref}).`;
    refuse(req, res, new Refusal(500, message, { code: ErrorCode.InternalError }));
  };
}

/** Of express itself, such as an address that is no valid percent-encoding. */
const isBadRequest = (error: unknown) =>
  error instanceof Error && 'status' in error && error.status === 400;
