/**
 * How a browser proves that it may use the page (decision 0059). It shows a link that works once, or
 * the server's token, and gets a cookie that scripts cannot read and that other sites' pages do not
 * send. The cookie is derived from the token: it outlives a restart, and a new token ends it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { type Clock, systemClock } from '../../../base/clock.js';
import { randomHex, sha256Hex } from '../../../base/ids.js';

const LINK_BYTES = 24;
/** A browser takes seconds to start. */
const LINK_MS = 2 * 60_000;
const COOKIE = 'daybook';
const MAX_AGE_MS = 400 * 24 * 60 * 60 * 1000;

export class PageSession {
  readonly #token: string | undefined;
  readonly #clock: Clock;
  readonly #cookie: string;
  /** Digests of links that were not used yet, with the times at which they end. */
  readonly #links = new Map<string, number>();

  constructor(token: string | undefined, clock: Clock = systemClock) {
    this.#token = token;
    this.#clock = clock;
    this.#cookie = createHmac('sha256', token ?? '')
      .update('daybook page')
      .digest('hex');
  }

  /** The secret part of a link that works once, within two minutes. */
  newLink(): string {
    const link = randomHex(LINK_BYTES);
    this.#links.set(sha256Hex(link), this.#clock.monotonic() + LINK_MS);
    return link;
  }

  /** Whether the request brings the cookie or the bearer token; everybody may where there is no token. */
  isOpenTo(req: Request): boolean {
    if (this.#token === undefined) return true;
    const bearer = /^Bearer +(\S+) *$/i.exec(req.get('authorization') ?? '')?.[1];
    if (bearer !== undefined) return isSame(bearer, this.#token);
    const cookies = (req.get('cookie') ?? '').split(/; */);
    return cookies.some((each) => isSame(each, `${nameFor(req)}=${this.#cookie}`));
  }

  /** Sets the cookie for the right token or a link that was not used yet; false for anything else. */
  begin(given: { link?: unknown; token?: unknown }, req: Request, res: Response): boolean {
    if (!this.#isRight(given)) return false;
    res.cookie(nameFor(req), this.#cookie, {
      ...{ httpOnly: true, sameSite: 'strict', path: '/', maxAge: MAX_AGE_MS },
    });
    return true;
  }

  #isRight({ link, token }: { link?: unknown; token?: unknown }): boolean {
    if (typeof token === 'string' && this.#token !== undefined) return isSame(token, this.#token);
    if (typeof link !== 'string') return false;
    const digest = sha256Hex(link);
    const endsAt = this.#links.get(digest) ?? Number.NEGATIVE_INFINITY;
    this.#links.delete(digest);
    return endsAt > this.#clock.monotonic();
  }
}

/** Browsers keep one set of cookies for all ports of a machine. */
const nameFor = ({ socket }: Request) => `${COOKIE}-${socket.localPort}`;

/** Digests of one length take the same time for every text. */
const isSame = (given: string, expected: string) =>
  timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(expected)));
