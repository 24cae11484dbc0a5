/**
 * The login of the page (decision 0059). A browser sends a link that can be used once, or the token of
 * the server, and receives a cookie. Scripts cannot read the cookie, and pages of other sites do not send
 * it. The cookie is an HMAC of the token: it stays valid after a restart, until the token changes.
 */
import { createHmac } from 'node:crypto';
import type { Request, Response } from 'express';
import { systemClock } from '../../../base/clock.js';
import { randomHex, sha256Hex } from '../../../base/ids.js';
import { isOfAnotherUser } from '../../../files/connection-owner.js';
import { bearerOf, isSameSecret } from '../access-checks.js';

const LINK_BYTES = 24;
const LINK_MS = 2 * 60_000;
const COOKIE = 'daybook';
const MAX_AGE_MS = 400 * 24 * 60 * 60 * 1000;

interface Link {
  /** Monotonic milliseconds. */
  readonly endsAt: number;
  /** Every user of the machine may have seen it. */
  readonly isListed: boolean;
}

export class PageSession {
  readonly #token: string | undefined;
  readonly #cookie: string;
  /** Unused links by the SHA-256 of their secret. */
  readonly #links = new Map<string, Link>();

  constructor(token: string | undefined) {
    this.#token = token;
    this.#cookie = createHmac('sha256', token ?? '')
      .update('daybook page')
      .digest('hex');
  }

  /**
   * The secret part of a link that can be used once, within two minutes. `isListed`: it will be in the list of
   * processes, which every user of the machine sees, so another user cannot use it.
   */
  newLink(isListed: boolean): string {
    const link = randomHex(LINK_BYTES);
    const endsAt = systemClock.monotonic() + LINK_MS;
    this.#links.set(sha256Hex(link), { endsAt, isListed });
    return link;
  }

  /** True if the request has the cookie or the bearer token, or if the server has no token. */
  isOpenTo(req: Request): boolean {
    if (this.#token === undefined) return true;
    const bearer = bearerOf(req.headers);
    if (bearer !== undefined) return isSameSecret(bearer, this.#token);
    const cookies = (req.get('cookie') ?? '').split(/; */);
    return cookies.some((each) => isSameSecret(each, `${nameFor(req)}=${this.#cookie}`));
  }

  /** Sets the cookie for the right token or an unused link; otherwise returns false. */
  begin(given: { link?: unknown; token?: unknown }, req: Request, res: Response): boolean {
    if (!this.#isRight(given, req)) return false;
    res.cookie(nameFor(req), this.#cookie, {
      httpOnly: true,
      sameSite: 'strict',
      path: '/',
      maxAge: MAX_AGE_MS,
    });
    return true;
  }

  #isRight({ link, token }: { link?: unknown; token?: unknown }, { socket }: Request): boolean {
    if (typeof token === 'string' && this.#token !== undefined)
      return isSameSecret(token, this.#token);
    if (typeof link !== 'string') return false;
    const digest = sha256Hex(link);
    const found = this.#links.get(digest);
    // The link stays valid for the user's own browser, which may be slower.
    if (found === undefined || (found.isListed && isOfAnotherUser(socket))) return false;
    this.#links.delete(digest);
    return found.endsAt > systemClock.monotonic();
  }
}

/** The port is in the name, because browsers send a cookie to all ports of a host. */
const nameFor = ({ socket }: Request) => `${COOKIE}-${socket.localPort}`;
