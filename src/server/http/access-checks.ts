/**
 * Access checks of the HTTP server: the Host header, the Origin header, for the page Sec-Fetch-Site, and the
 * token. The Host check prevents DNS rebinding: a page that uses it sends its own host name. http-server.ts
 * and mcp-endpoint.ts have the order of the checks.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { sha256Hex } from '../../base/ids.js';
import { isLoopback } from '../../base/loopback.js';
import type { HttpConfig } from '../../config/settings/http-settings.js';
import { HttpError } from './http-error.js';

/** Calls `next`, with an error if the request is refused, or answers it. Also a handler for express. */
export type RequestCheck = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

const FORBIDDEN = 403;
const HOST = /^[\w.:[\]-]+$/;
const METHODS = 'GET, POST, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id';

/** Refuses a request whose Host header names another server. */
export function checkHost({ host, allowedHosts }: HttpConfig): RequestCheck {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const isAllowed = (requested: string) => {
    if (!HOST.test(requested) || !URL.canParse(`http://${requested}`)) return false;
    const { hostname } = new URL(`http://${requested}`);
    const bare = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isLoopback(bare) || bare === host) return true;
    // DNS rebinding needs a name, so every address is safe.
    if (isEverywhere && isIP(bare) !== 0) return true;
    return allowedHosts.includes(hostname) || allowedHosts.includes(requested);
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

/** Refuses requests from pages of other origins, and adds CORS headers for allowed origins. */
export function checkOrigin({ allowedOrigins }: HttpConfig): RequestCheck {
  return ({ method, headers: { origin, host } }, res, next) => {
    if (origin === undefined || isOwnOrigin(origin, host)) return next();
    if (!allowedOrigins.includes(origin)) {
      const message =
        'Web pages of this Origin may not use this server. To allow the origin, add it to DAYBOOK_HTTP_ALLOWED_ORIGINS.';
      return next(new HttpError(FORBIDDEN, message));
    }
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
    res.setHeader('Vary', 'Origin');
    if (method !== 'OPTIONS') return next();
    res.setHeader('Access-Control-Allow-Methods', METHODS);
    res.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
    res.writeHead(204).end();
  };
}

const isOwnOrigin = (origin: string, host = '') =>
  origin === `http://${host}` || origin === `https://${host}`;

/** For requests without Origin: browsers state in Sec-Fetch-Site whether another site sent them. */
export const checkFetchSite: RequestCheck = ({ headers }, _res, next) => {
  const { 'sec-fetch-site': site = 'same-origin' } = headers;
  // `none`: the user typed the address or opened a bookmark.
  if (site === 'same-origin' || site === 'none') return next();
  next(new HttpError(FORBIDDEN, 'Web pages of other sites may not use this server.'));
};

/** Refuses a request without the right token. The comparison takes the same time for every token. */
export function checkToken({ token }: HttpConfig): RequestCheck {
  if (token === undefined) return (_req, _res, next) => next();
  return ({ headers }, _res, next) => {
    const given = bearerOf(headers);
    if (isSameSecret(given ?? '', token)) return next();
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

/** The bearer token of a request. */
export const bearerOf = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1];

/** Compares digests, which have the same length, so that the time does not depend on the texts. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(expected)));
