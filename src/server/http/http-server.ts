/**
 * Serves MCP over HTTP (Streamable HTTP, at /mcp). At the end, accepted requests are finished and answered
 * before the last connection closes. Times and numbers of connections have limits, so that a slow or
 * idle client does not delay the others.
 */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Router } from 'express';
import { type Clock, settledOrLater, systemClock } from '../../base/clock.js';
import { AppError, errnoOf } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { HttpConfig } from '../../config/settings/http-settings.js';
import { FINISH_MS } from '../accepted-calls.js';
import type { BuiltServer } from '../mcp/build-server.js';
import { loadCatalogue } from '../mcp/offered-tools.js';
import { checkHost, checkOrigin } from './access-checks.js';
import { limitConnections } from './connections.js';
import { createExpressApp } from './express-app.js';
import { answerHttpErrors } from './http-error.js';
import { createMcpEndpoint, isMcpAddress } from './mcp-endpoint.js';
import { createPage, type PageOptions } from './page/page-routes.js';
import { rateLimitOf } from './rate-limit.js';
import { HttpSessions } from './sessions.js';

/** Grace period in which clients can close their connections. Idle ones are closed at once. */
const CLOSE_MS = 250;

const LIMITS = {
  /** From the connection to the end of the headers. It also ends connections that send nothing. */
  headersMs: 15_000,
  /** To the end of the body: enough for 64 MB over a slow line. */
  requestMs: 120_000,
  /** An unused connection stays open for the client's next request. */
  keepAliveMs: 60_000,
  maxConnections: 4_000,
  maxConnectionsPerAddress: 1_000,
  maxSessions: 1_000,
  /** Maximum time for accepted calls to finish at the end. */
  finishMs: FINISH_MS,
};

export interface HttpOptions {
  readonly config: HttpConfig;
  /** Makes a new server. Called for each session, or for each request without a session. */
  readonly build: (hasSession: boolean) => BuiltServer;
  readonly log: Log;
  /** Without it there is no page. */
  readonly page?: PageOptions;
  readonly limits?: Partial<typeof LIMITS>;
  /** Measures how long a session was idle. */
  readonly clock?: Clock;
}

export interface HttpServer {
  /** The address for MCP clients. */
  readonly url: string;
  /**
   * The address of the page with a secret that can be used once, within two minutes. `isListed`: it will be in
   * the list of processes, so it works only for the user of this process.
   */
  pageLink(options?: { readonly isListed?: boolean }): string;
  /** Stops listening, finishes and answers accepted requests, and closes all connections. */
  close(): Promise<void>;
}

/** Resolves when the server listens. VALIDATION_ERROR if it cannot listen on the host and port. */
export async function openHttp({ config, build, log, ...rest }: HttpOptions): Promise<HttpServer> {
  const limits = { ...LIMITS, ...rest.limits };
  const { isStateless, sessionIdleMs: idleMs } = config;
  const { maxSessions } = limits;
  const clock = rest.clock ?? systemClock;
  const sessions = new HttpSessions({ build, isStateless, idleMs, maxSessions, clock, log });
  const page = rest.page && createPage(rest.page, config, log);
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(limits.headersMs / 4, 5_000),
    },
    requestListener(config, sessions, log, page?.router),
  );
  server.maxConnections = limits.maxConnections;
  limitConnections(server, limits.maxConnectionsPerAddress);
  // Before clients connect: their connections may use all open files, and no module can be loaded then.
  await loadCatalogue();
  await listen(server, config);
  server.on('error', (error) => log.error({ err: error }, 'the HTTP server failed'));
  return {
    url: urlOf(server, config),
    pageLink: ({ isListed = false } = {}) =>
      new URL(`/#open=${page?.newLink(isListed) ?? ''}`, urlOf(server, config)).href,
    async close() {
      const closed = once(server, 'close');
      server.close();
      const answered = page && settledOrLater(page.close(), limits.finishMs);
      await Promise.all([sessions.close(limits.finishMs), answered]);
      server.closeIdleConnections();
      await settledOrLater(closed, CLOSE_MS);
      server.closeAllConnections();
      await closed;
    },
  };
}

function requestListener(
  config: HttpConfig,
  sessions: HttpSessions,
  log: Log,
  page: Router | undefined,
): RequestListener {
  const rateLimit = config.ratePerMinute > 0 ? rateLimitOf(config.ratePerMinute) : undefined;
  const checks = [checkHost(config), checkOrigin(config), ...(rateLimit ? [rateLimit] : [])];
  const refuse = answerHttpErrors(log);
  const mcp = createMcpEndpoint({ config, sessions, refuse, checks, rateLimit });
  const app = createExpressApp({ sessions, refuse, checks, page });
  return (req, res) => {
    // Without this listener, a write to a disconnected client would end the process.
    res.on('error', (error) => log.debug({ err: error }, 'an answer was not sent'));
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Cache-Control', 'no-store');
    if (isMcpAddress(req.url)) mcp(req, res);
    else app(req, res);
  };
}

async function listen(server: Server, { host, port }: HttpConfig): Promise<void> {
  try {
    const listening = once(server, 'listening');
    server.listen(port, host);
    await listening;
  } catch (cause) {
    const reason = REASONS[errnoOf(cause) ?? ''] ?? (cause as Error).message;
    throw new AppError('VALIDATION_ERROR', `Cannot listen on ${host}, port ${port}: ${reason}.`, {
      hint: 'Choose another port or address with --port or --host.',
      cause,
    });
  }
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another program uses it',
  EACCES: 'this user has no permission',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this name does not exist',
};

function urlOf(server: Server, { host }: HttpConfig): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`;
}
