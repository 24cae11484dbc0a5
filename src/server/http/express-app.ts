/**
 * The express application. It checks a request in this order: Host, Origin, rate, token, method and
 * headers, body. Then the session of the request answers it or, for the stateless protocol, a new server.
 */
import express, { type Express, type Request, type RequestHandler, type Router } from 'express';
import type { Log } from '../../base/log.js';
import type { HttpConfig } from '../../config/http-settings.js';
import { isListening } from '../mcp/stateless-request.js';
import { checkHost, checkOrigin, checkToken } from './access-checks.js';
import { answerHttpErrors, HttpError } from './http-error.js';
import { countRestOfBatch, rateLimitOf } from './rate-limit.js';
import { readMessages } from './request-body.js';
import type { HttpSessions } from './sessions.js';
import { answerStateless, isStatelessHttp, statelessRequest } from './stateless-http.js';

/** `page` handles all requests that are not for `/mcp` or `/healthz`. */
export function createExpressApp(
  config: HttpConfig,
  sessions: HttpSessions,
  log: Log,
  page?: Router,
): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.use((_req, res, next) => {
    // Without this listener, a write to a disconnected client would end the process.
    res.on('error', (error) => log.debug({ err: error }, 'an answer was not sent'));
    res.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
    next();
  });
  app.get('/healthz', (_req, res) => {
    const isUp = !sessions.isClosing;
    res.status(isUp ? 200 : 503).json({ status: isUp ? 'ok' : 'stopping' });
  });
  app.use(checkHost(config), checkOrigin(config));
  const limit = config.ratePerMinute > 0 ? rateLimitOf(config.ratePerMinute) : undefined;
  if (limit !== undefined) app.use(limit);
  app.all(
    '/mcp',
    checkToken(config, log),
    checkMethodAndHeaders(config.isStateless),
    async (req, res) => {
      if (req.method !== 'POST') return sessions.handle(req, res);
      const body = await readMessages(req, config.maxBodyBytes);
      if (limit !== undefined && Array.isArray(body))
        await countRestOfBatch(body.length, limit, req, res);
      if (!isStatelessHttp(req, body)) return sessions.handle(req, res, body);
      const request = statelessRequest(req, body);
      if (request === undefined) return void res.status(202).end();
      await answerStateless(request, res, sessions.createRequestServer(res, !isListening(request)));
    },
  );
  if (page !== undefined) app.use(page);
  app.use((_req, _res, next) =>
    next(new HttpError(404, 'There is nothing at this address. MCP is at /mcp.')),
  );
  app.use(answerHttpErrors(log));
  return app;
}

/** Checks method and headers before the body is read. */
function checkMethodAndHeaders(isStateless: boolean): RequestHandler {
  const methods = isStateless ? ['POST'] : ['GET', 'POST', 'DELETE'];
  return (req, _res, next) => {
    if (!methods.includes(req.method)) {
      const Allow = methods.join(', ');
      return next(new HttpError(405, `This address accepts ${Allow}.`, { headers: { Allow } }));
    }
    next(req.method === 'POST' ? postHeaderError(req) : undefined);
  };
}

function postHeaderError(req: Request): HttpError | undefined {
  const accept = req.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return new HttpError(
      406,
      'The header Accept must have both application/json and text/event-stream.',
    );
  }
  const type = (req.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return undefined;
  return new HttpError(415, 'The header Content-Type must be application/json.');
}
