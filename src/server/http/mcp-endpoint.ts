/**
 * The address `/mcp`. It checks a request in this order: Host, Origin, rate, token, method and headers, body.
 * Then the session of the request answers it or, for the stateless protocol, a new server. It does without
 * express, whose routing takes longer than all of Node's own work for a request (decision 0089).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { HttpConfig } from '../../config/settings/http-settings.js';
import { isListening } from '../mcp/stateless/stateless-request.js';
import { checkToken, type RequestCheck } from './access-checks.js';
import { type AnswerError, HttpError } from './http-error.js';
import { countRestOfBatch } from './rate-limit.js';
import { readMessages } from './request-body.js';
import type { HttpSessions } from './sessions.js';
import { answerStateless, isStatelessHttp, statelessRequest } from './stateless-http.js';

/** A proxy may send the whole address instead of the path (RFC 9112, absolute-form). */
export const isMcpAddress = (url = ''): boolean =>
  /^(?:https?:\/\/[^/?#]+)?\/mcp\/?(?:\?|$)/i.test(url);

export interface McpEndpointOptions {
  readonly config: HttpConfig;
  readonly sessions: HttpSessions;
  readonly refuse: AnswerError;
  /** Run before all others. */
  readonly checks: readonly RequestCheck[];
  /** Counts the further messages of a batch. */
  readonly rateLimit: RequestCheck | undefined;
}

export function createMcpEndpoint(options: McpEndpointOptions): RequestListener {
  const { config, refuse } = options;
  const checks = [...options.checks, checkToken(config), checkMethodAndHeaders(config.isStateless)];
  const runFrom = (at: number, req: IncomingMessage, res: ServerResponse): void => {
    const check = checks[at];
    if (check === undefined) {
      void answer(options, req, res).catch((error: unknown) => refuse(error, req, res));
      return;
    }
    check(req, res, (error) =>
      error === undefined ? runFrom(at + 1, req, res) : refuse(error, req, res),
    );
  };
  return (req, res) => runFrom(0, req, res);
}

async function answer(
  { config, sessions, rateLimit }: McpEndpointOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (req.method !== 'POST') return sessions.handle(req, res);
  const body = await readMessages(req, config.maxBodyBytes);
  if (rateLimit !== undefined && Array.isArray(body))
    await countRestOfBatch(body.length, rateLimit, req, res);
  if (!isStatelessHttp(req, body)) return sessions.handle(req, res, body);
  const request = statelessRequest(req, body);
  if (request === undefined) return void res.writeHead(202).end();
  await answerStateless(request, res, sessions.createRequestServer(res, !isListening(request)));
}

/** Checks method and headers before the body is read. */
function checkMethodAndHeaders(isStateless: boolean): RequestCheck {
  const methods = isStateless ? ['POST'] : ['GET', 'POST', 'DELETE'];
  return (req, _res, next) => {
    if (!methods.includes(req.method ?? '')) {
      const Allow = methods.join(', ');
      return next(new HttpError(405, `This address accepts ${Allow}.`, { headers: { Allow } }));
    }
    next(req.method === 'POST' ? postHeaderError(req) : undefined);
  };
}

function postHeaderError({ headers }: IncomingMessage): HttpError | undefined {
  const accept = headers.accept ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return new HttpError(
      406,
      'The header Accept must have both application/json and text/event-stream.',
    );
  }
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return undefined;
  return new HttpError(415, 'The header Content-Type must be application/json.');
}
