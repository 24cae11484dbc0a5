/**
 * MCP over HTTP requests that were let in: a server and a transport of its own for each session, or,
 * without sessions, for each request; never shared, or answers would cross between clients
 * (CVE-2026-25536). All stand on one App. Sessions that nobody uses end; their number is bounded.
 */
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Request, Response } from 'express';
import { type Clock, sleep } from '../../base/clock.js';
import { newUuid } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { BuiltServer } from '../build-server.js';
import { Refusal } from './refusal.js';

export interface SessionsOptions {
  /** Makes a server that nobody else has; it can tell its client things later, or cannot. */
  readonly build: (hasSession: boolean) => BuiltServer;
  readonly isStateless: boolean;
  readonly idleMs: number;
  readonly maxSessions: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** One server and whom it serves. */
interface Served {
  readonly built: BuiltServer;
  /** Absent until a session has begun, and where there is none. */
  id?: string;
  /** Requests and streams that are open now. */
  openCount: number;
  /** Monotonic milliseconds. */
  lastUsed: number;
}

interface Connected extends Served {
  readonly transport: StreamableHTTPServerTransport;
}

export class HttpSessions {
  readonly #options: SessionsOptions;
  /** By session id, the longest unused first. */
  readonly #sessions = new Map<string, Connected>();
  readonly #served = new Set<Served>();
  readonly #answering = new Set<Promise<unknown>>();
  readonly #sweeping: NodeJS.Timeout;
  #isClosing = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweeping = setInterval(() => this.#endIdle(), Math.min(options.idleMs / 4, 60_000));
    this.#sweeping.unref();
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Answers a request; `body` is what a POST carried. Throws Refusal. */
  async handle(req: Request, res: Response, body?: unknown): Promise<void> {
    // A GET is a stream for news, which has no end to wait for.
    const closed = this.#accept(res, req.method === 'POST');
    const { isStateless } = this.#options;
    const served = isStateless ? await this.#connect() : await this.#sessionOf(req, body);
    this.#use(served, closed);
    await served.transport.handleRequest(req, res, body);
  }

  /** A server for one request alone, which ends with it. Throws Refusal. */
  lend(res: Response, isAnswered: boolean): BuiltServer {
    const closed = this.#accept(res, isAnswered);
    const served = { built: this.#options.build(true), openCount: 0, lastUsed: this.#now() };
    this.#keep(served);
    this.#use(served, closed);
    return served.built;
  }

  /**
   * Takes no more requests, lets those that wait answer now, and resolves when all that was accepted
   * is answered (at most `finishMs` later) and every stream is closed.
   */
  async close(finishMs: number): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#sweeping);
    const served = [...this.#served];
    const calls = served.map(({ built }) => built.calls.end());
    await Promise.race([Promise.all([...calls, ...this.#answering]), sleep(finishMs)]);
    await Promise.all(served.map(end));
  }

  /** Resolves when the response is over. */
  #accept(res: Response, isAnswered: boolean): Promise<void> {
    if (this.#isClosing) throw new Refusal(503, 'The server is stopping.', { headers: CLOSE });
    const closed = new Promise<void>((resolve) => res.once('close', resolve));
    if (isAnswered) this.#answering.add(closed);
    void closed.then(() => this.#answering.delete(closed));
    return closed;
  }

  #use(served: Served, closed: Promise<void>): void {
    served.openCount += 1;
    void closed.then(async () => {
      served.openCount -= 1;
      served.lastUsed = this.#now();
      if (served.id !== undefined) return;
      // A client that has gone does not mean to cancel: its call ends in its own time.
      await served.built.calls.idle();
      await end(served);
    });
  }

  async #sessionOf(req: Request, body: unknown): Promise<Connected> {
    const id = req.get('mcp-session-id');
    const session = id === undefined ? undefined : this.#sessions.get(id);
    if (id !== undefined && session !== undefined) {
      this.#sessions.delete(id); // moves it to the end of those that may have to go
      this.#sessions.set(id, session);
      return session;
    }
    if (isInitializeRequest(body)) return this.#begin();
    if (id !== undefined) throw new Refusal(404, NO_SESSION, { code: SESSION_NOT_FOUND });
    throw new Refusal(400, 'Mcp-Session-Id is missing: begin with initialize.');
  }

  async #begin(): Promise<Connected> {
    const { maxSessions } = this.#options;
    if (this.#sessions.size >= maxSessions && !this.#makeRoom()) {
      const message = `All ${maxSessions} sessions are in use; try again later.`;
      throw new Refusal(503, message, { headers: { 'Retry-After': '60' } });
    }
    return this.#connect((id, session) => {
      session.id = id;
      this.#sessions.set(id, session);
    });
  }

  /** `onBegun` makes it a session. */
  async #connect(onBegun?: (id: string, served: Connected) => void): Promise<Connected> {
    const built = this.#options.build(onBegun !== undefined);
    const transport = new StreamableHTTPServerTransport(
      onBegun && {
        sessionIdGenerator: newUuid,
        onsessioninitialized: (id) => onBegun(id, served),
      },
    );
    const served: Connected = { built, transport, openCount: 0, lastUsed: this.#now() };
    this.#keep(served);
    // Its type says that callbacks may be undefined, where the interface has them absent.
    await built.server.connect(transport as Transport);
    return served;
  }

  #keep(served: Served): void {
    this.#served.add(served);
    served.built.server.onclose = () => {
      this.#served.delete(served);
      if (served.id !== undefined) this.#sessions.delete(served.id);
      void served.built.calls.end();
    };
  }

  /** Ends the session that was unused for longest; false where all are in use. */
  #makeRoom(): boolean {
    const unused = [...this.#sessions.values()].find(isUnused);
    if (unused !== undefined) void end(unused);
    return unused !== undefined;
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #endIdle(): void {
    const latest = this.#now() - this.#options.idleMs;
    for (const [id, session] of this.#sessions) {
      if (!isUnused(session) || session.lastUsed > latest) continue;
      this.#options.log.debug({ id: id.slice(0, 8) }, 'an idle session ends');
      void end(session);
    }
  }
}

const NO_SESSION = 'Session not found: it has ended; begin a new one with initialize.';
/** As the SDK's transport numbers it. */
const SESSION_NOT_FOUND = -32001;
const CLOSE = { Connection: 'close' };

/** A call goes on where its client has lost the connection, and to end the session would cancel it. */
const isUnused = ({ openCount, built }: Served) => openCount === 0 && built.calls.isIdle;
const end = ({ built }: Served) => built.server.close();
