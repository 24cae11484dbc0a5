/**
 * Who may talk to the HTTP server: requests addressed to this server (Host), not sent by a page of
 * another site (Origin), with the token where one is set. The SDK's own helper looks at Host only.
 * A page that reaches this machine by DNS rebinding betrays itself by its name in Host.
 */
import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { sha256Hex } from '../../base/ids.js';
import { type HttpConfig, isLoopback } from '../../config/http.js';
import { Refusal } from './refusal.js';

const FORBIDDEN = 403;
const HOST = /^[\w.:[\]-]+$/;
const METHODS = 'GET, POST, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id';

/** Refuses a request that is addressed to somebody else. */
export function checkHost({ host, allowedHosts }: HttpConfig): RequestHandler {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const isAllowed = (asked: string) => {
    if (!HOST.test(asked) || !URL.canParse(`http://${asked}`)) return false;
    const { hostname } = new URL(`http://${asked}`);
    const bare = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isLoopback(bare) || bare === host) return true;
    // An address cannot be rebound: only names are looked up.
    if (isEverywhere && isIP(bare) !== 0) return true;
    return allowedHosts.includes(hostname) || allowedHosts.includes(asked);
  };
  return ({ headers }, _res, next) => {
    if (isAllowed((headers.host ?? '').toLowerCase())) return next();
    next(
      new Refusal(FORBIDDEN, 'The Host header names another server (DAYBOOK_HTTP_ALLOWED_HOSTS).'),
    );
  };
}

/** Refuses pages of other origins, and lets the browser of an allowed one read the answers. */
export function checkOrigin({ allowedOrigins }: HttpConfig): RequestHandler {
  return ({ method, headers: { origin, host } }, res, next) => {
    if (origin === undefined || isOwn(origin, host)) return next();
    if (!allowedOrigins.includes(origin)) {
      const message =
        'Pages of this Origin may not use this server (DAYBOOK_HTTP_ALLOWED_ORIGINS).';
      return next(new Refusal(FORBIDDEN, message));
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

/** Refuses a request without the token; takes the same time whatever is wrong with it. */
export function checkToken({ token }: HttpConfig): RequestHandler {
  if (token === undefined) return (_req, _res, next) => next();
  const expected = digest(token);
  return ({ headers }: Request, _res: Response, next: NextFunction) => {
    const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
    // Digests have one length, so that not even the token's can be measured.
    if (timingSafeEqual(digest(given ?? ''), expected)) return next();
    const [message, reason] =
      given === undefined
        ? ['A bearer token is needed: send Authorization: Bearer <DAYBOOK_HTTP_TOKEN>.', '']
        : ['The bearer token is not the one of this server.', ', error="invalid_token"'];
    const challenge = { 'WWW-Authenticate': `Bearer realm="daybook"${reason}` };
    next(new Refusal(401, message, { headers: challenge }));
  };
}

const digest = (text: string) => Buffer.from(sha256Hex(text));
