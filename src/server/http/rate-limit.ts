/**
 * The rate limit of the HTTP server: how many requests one address may send in a minute. The number is the
 * setting `httpRateLimit` (config/http-settings.ts).
 */
import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { HttpError } from './http-error.js';

const MINUTE_MS = 60_000;

/** Counts the second and later messages of a batch for the rate limit. Throws HttpError. */
export async function countRestOfBatch(
  size: number,
  limit: RequestHandler,
  req: Request,
  res: Response,
): Promise<void> {
  for (let counted = 1; counted < size; counted += 1) {
    await new Promise<void>((resolve, reject) => {
      void limit(req, res, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }
}

/** Refuses a request with 429 if its address has sent `perMinute` requests in this minute. */
export function rateLimitOf(perMinute: number): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The validation prints to the console. Headers of proxies are ignored here, so it is not needed.
    validate: false,
    handler: (_req, _res, next) =>
      next(
        new HttpError(
          429,
          `There were more than ${perMinute} requests in one minute (DAYBOOK_HTTP_RATE_LIMIT). Try again in a minute.`,
        ),
      ),
  });
}
