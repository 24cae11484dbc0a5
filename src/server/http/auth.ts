/**
 * Decides who may use the HTTP server. The checks are the Host header, the Origin header and the
 * token. A page that reaches this machine by DNS rebinding has its own name in Host, so the Host check
 * refuses it; the SDK's own helper checks nothing else.
 */
import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { type Clock, systemClock } from '../../base/clock.js';
import { sha256Hex } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { type HttpConfig, isLoopback } from '../../config/http-settings.js';
import { HttpError } from './http-error.js';

const FORBIDDEN = 403;
const HOST = /^[\w.:[\]-]+$/;
/** An attacker who tries tokens must not fill the log. */
const REPORT_MS = 10_000;
const METHODS = 'GET, POST, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id';

/** Refuses a request whose Host header names another server. */
export function checkHost({ host, allowedHosts }: HttpConfig): RequestHandler {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const isAllowed = (asked: string) => {
    if (!HOST.test(asked) || !URL.canParse(`http://${asked}`)) return false;
    const { hostname } = new URL(`http://${asked}`);
    const bare = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isLoopback(bare) || bare === host) return true;
    // DNS rebinding needs a name, so every address is safe.
    if (isEverywhere && isIP(bare) !== 0) return true;
    return allowedHosts.includes(hostname) || allowedHosts.includes(asked);
  };
  return ({ headers }, _res, next) => {
    if (isAllowed((headers.host ?? '').toLowerCase())) return next();
    next(
      new HttpError(
        FORBIDDEN,
        'The server does not accept this Host header. To allow the name, add it to DAYBOOK_HTTP_ALLOWED_HOSTS.',
      ),
    );
  };
}

/** Refuses pages of other origins; answers of allowed ones get the CORS headers. */
export function checkOrigin({ allowedOrigins }: HttpConfig): RequestHandler {
  return ({ method, headers: { origin, host } }, res, next) => {
    if (origin === undefined || isOwn(origin, host)) return next();
    if (!allowedOrigins.includes(origin)) {
      const message =
        'Web pages of this Origin may not use this server. To allow the origin, add it to DAYBOOK_HTTP_ALLOWED_ORIGINS.';
      return next(new HttpError(FORBIDDEN, message));
    }
    res.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Mcp-Session-Id, WWW-Authenticate',
      Vary: 'Origin',
    });
    if (method !== 'OPTIONS') return next();
    res.set('Access-Control-Allow-Methods', METHODS);
    res.set('Access-Control-Allow-Headers', REQUEST_HEADERS).status(204).end();
  };
}

const isOwn = (origin: string, host = '') =>
  origin === `http://${host}` || origin === `https://${host}`;

/** Refuses a request without the right token. The comparison takes the same time for every token. */
export function checkToken({ token }: HttpConfig, log: Log): RequestHandler {
  if (token === undefined) return (_req, _res, next) => next();
  const expected = digest(token);
  const report = refusalReporter(log);
  return ({ headers, socket }: Request, _res: Response, next: NextFunction) => {
    const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
    // Digests all have one length, so even the token's length cannot be measured.
    if (timingSafeEqual(digest(given ?? ''), expected)) return next();
    report(socket.remoteAddress);
    const [message, reason] =
      given === undefined
        ? [
            'A bearer token is required. Send the header Authorization: Bearer <DAYBOOK_HTTP_TOKEN>.',
            '',
          ]
        : ['The bearer token is wrong. Send the token of this server.', ', error="invalid_token"'];
    const challenge = { 'WWW-Authenticate': `Bearer realm="daybook"${reason}` };
    next(new HttpError(401, message, { headers: challenge }));
  };
}

const digest = (text: string) => Buffer.from(sha256Hex(text));

/** Logs at most one line in REPORT_MS, with the number of refusals since the line before. */
function refusalReporter(log: Log, clock: Clock = systemClock) {
  let count = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  return (address: string | undefined) => {
    count += 1;
    if (clock.monotonic() - lastAt < REPORT_MS) return;
    lastAt = clock.monotonic();
    log.warn({ address, count }, 'requests without the right token were refused');
    count = 0;
  };
}
