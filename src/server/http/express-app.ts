/**
 * What happens to an HTTP request, in order: is it for us, from a page we know, within the rate, with
 * the token, of a form that MCP allows; then it goes to its session.
 */
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import type { Log } from '../../base/log.js';
import type { HttpConfig } from '../../config/http.js';
import { checkHost, checkOrigin, checkToken } from './admission.js';
import { answerModern, isListening } from './modern-exchange.js';
import { isModern, modernRequest } from './modern-request.js';
import { answerRefusal, Refusal } from './refusal.js';
import { readMessages } from './request-body.js';
import type { HttpSessions } from './sessions.js';

const MINUTE_MS = 60_000;

export function createExpressApp(config: HttpConfig, sessions: HttpSessions, log: Log): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.use((_req, res, next) => {
    // Whoever writes to a client that has just gone would otherwise end the process.
    res.on('error', (error) => log.debug({ err: error }, 'an answer was not sent'));
    res.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
    next();
  });
  app.get('/healthz', (_req, res) => {
    const isUp = !sessions.isClosing;
    res.status(isUp ? 200 : 503).json({ status: isUp ? 'ok' : 'stopping' });
  });
  app.use(checkHost(config), checkOrigin(config));
  const limit = config.ratePerMinute > 0 ? limitOf(config.ratePerMinute) : undefined;
  if (limit !== undefined) app.use(limit);
  app.all('/mcp', checkToken(config), checkForm(config.isStateless), async (req, res) => {
    if (req.method !== 'POST') return sessions.handle(req, res);
    const body = await readMessages(req, config.maxBodyBytes);
    if (limit !== undefined && Array.isArray(body)) await countRest(body.length, limit, req, res);
    if (!isModern(req, body)) return sessions.handle(req, res, body);
    const request = modernRequest(req, body);
    if (request === undefined) return void res.status(202).end();
    await answerModern(request, res, sessions.lend(res, !isListening(request)));
  });
  app.use((_req, _res, next) => next(new Refusal(404, 'There is nothing here; MCP is at /mcp.')));
  app.use(answerRefusal(log));
  return app;
}

/** Of a batch, whose first message was counted before it was read. Throws Refusal. */
async function countRest(size: number, limit: RequestHandler, req: Request, res: Response) {
  for (let counted = 1; counted < size; counted += 1) {
    await new Promise<void>((resolve, reject) => {
      void limit(req, res, (refusal) => (refusal === undefined ? resolve() : reject(refusal)));
    });
  }
}

function limitOf(perMinute: number): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // It would write to the console; a proxy's header is simply not believed.
    validate: false,
    handler: (_req, _res, next) =>
      next(new Refusal(429, `More than ${perMinute} requests a minute (DAYBOOK_HTTP_RATE_LIMIT).`)),
  });
}

/** Method and headers, before anything of the body is read. */
function checkForm(isStateless: boolean): RequestHandler {
  const methods = isStateless ? ['POST'] : ['GET', 'POST', 'DELETE'];
  return (req, _res, next) => {
    if (!methods.includes(req.method)) {
      const Allow = methods.join(', ');
      return next(new Refusal(405, `This address takes ${Allow}.`, { headers: { Allow } }));
    }
    next(req.method === 'POST' ? wrongPost(req) : undefined);
  };
}

function wrongPost(req: Request): Refusal | undefined {
  const accept = req.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return new Refusal(406, 'Accept must name both application/json and text/event-stream.');
  }
  const type = (req.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return undefined;
  return new Refusal(415, 'Content-Type must be application/json.');
}
