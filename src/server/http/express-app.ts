/**
 * The express application: the page, the state of the server at `/healthz`, and 404 for all other addresses
 * but `/mcp` (mcp-endpoint.ts).
 */
import express, { type Express, type Router } from 'express';
import type { RequestCheck } from './access-checks.js';
import { type AnswerError, HttpError } from './http-error.js';
import type { HttpSessions } from './sessions.js';

export interface ExpressAppOptions {
  readonly sessions: HttpSessions;
  readonly refuse: AnswerError;
  /** For all addresses but `/healthz`. */
  readonly checks: readonly RequestCheck[];
  /** Handles all requests but those for `/healthz`. */
  readonly page: Router | undefined;
}

export function createExpressApp({ sessions, refuse, checks, page }: ExpressAppOptions): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.get('/healthz', (_req, res) => {
    const isUp = !sessions.isClosing;
    res.status(isUp ? 200 : 503).json({ status: isUp ? 'ok' : 'stopping' });
  });
  for (const check of checks) app.use(check);
  if (page !== undefined) app.use(page);
  app.use((_req, _res, next) =>
    next(new HttpError(404, 'There is nothing at this address. MCP is at /mcp.')),
  );
  // Express recognises a handler of errors by its four parameters.
  app.use(
    (error: unknown, req: express.Request, res: express.Response, _next: express.NextFunction) =>
      refuse(error, req, res),
  );
  return app;
}
