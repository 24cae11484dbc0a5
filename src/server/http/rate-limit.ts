/**
 * The rate limit of the HTTP server: how many requests one address may send in a minute. The number is the
 * setting `httpRateLimit` (config/settings/http-settings.ts).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { RequestCheck } from './access-checks.js';
import { HttpError } from './http-error.js';

const MINUTE_MS = 60_000;

/** Counts the second and later messages of a batch for the rate limit. Throws HttpError. */
export async function countRestOfBatch(
  size: number,
  limit: RequestCheck,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  for (let counted = 1; counted < size; counted += 1) {
    await new Promise<void>((resolve, reject) => {
      limit(req, res, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }
}

/** Refuses a request with 429 if its address has sent `perMinute` requests in this minute. */
export function rateLimitOf(perMinute: number): RequestCheck {
  const limit = rateLimit({
    windowMs: MINUTE_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The validation prints to the console. Headers of proxies are ignored here, so it is not needed.
    validate: false,
    keyGenerator: ({ socket }) => ipKeyGenerator(socket.remoteAddress ?? ''),
    handler: (_req, _res, next) =>
      next(
        new HttpError(
          429,
          `There were more than ${perMinute} requests in one minute (DAYBOOK_HTTP_RATE_LIMIT). Try again in a minute.`,
        ),
      ),
  });
  return (req, res, next) => {
    // With a key generator it needs only objects of Node, and `append`, which Node calls `appendHeader`.
    const response = Object.assign(res, { append: res.appendHeader }) as unknown as Response;
    void limit(req as Request, response, next);
  };
}
