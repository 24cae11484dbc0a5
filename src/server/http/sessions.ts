/**
 * The MCP servers for HTTP requests: one server and one transport for each session or, without sessions,
 * for each request. Two clients never share a server, because answers could be sent to the wrong client
 * (CVE-2026-25536). All servers use the same App. Idle sessions are closed, and their number is limited.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ErrorCode,
  isInitializeRequest,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { ServerEndError, SessionEndError } from '../../base/async/server-end.js';
import { type Clock, settledOrLater } from '../../base/clock.js';
import { newUuid } from '../../base/ids.js';
import { isRecord } from '../../base/json-fields.js';
import type { Log } from '../../base/log.js';
import { FINISH_MS } from '../accepted-calls.js';
import type { BuiltServer } from '../mcp/build-server.js';
import { headerOf } from './headers.js';
import { HttpError } from './http-error.js';
import { SessionTransport } from './session-transport.js';

export interface SessionsOptions {
  /** Makes a new server. `hasSession` is false if the server can send nothing after its answer. */
  readonly build: (hasSession: boolean) => BuiltServer;
  readonly isStateless: boolean;
  readonly idleMs: number;
  /** With more, the session that was unused for the longest time is ended. */
  readonly maxSessions: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** A server with the number and time of its requests. */
interface ActiveServer {
  readonly built: BuiltServer;
  /** The id of the session; `undefined` for a server of one request. */
  readonly id: string | undefined;
  /** Number of requests and streams that are open now. */
  openCount: number;
  /** Monotonic milliseconds. */
  lastUsed: number;
}

interface ConnectedServer extends ActiveServer {
  readonly transport: SessionTransport;
}

export class HttpSessions {
  readonly #options: SessionsOptions;
  /** By session id, the least recently used first. */
  readonly #sessions = new Map<string, ConnectedServer>();
  readonly #served = new Set<ActiveServer>();
  readonly #unanswered = new Set<Promise<unknown>>();
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

  /** Answers a request; `body` is the parsed body of a POST. Throws HttpError. */
  async handle(
    req: IncomingMessage,
    res: ServerResponse,
    body?: JSONRPCMessage | JSONRPCMessage[],
  ): Promise<void> {
    // A GET opens a stream of notifications, which has no end, so `close` does not wait for it.
    const closed = this.#accept(res, req.method === 'POST');
    const { isStateless } = this.#options;
    const served = isStateless ? await this.#connect() : await this.#sessionOf(req, body);
    this.#use(served, closed);
    if (req.method !== 'DELETE') return served.transport.handle(req, res, body);
    if (served.id !== undefined) this.#sessions.delete(served.id);
    res.end();
    // As at the end of the server: running calls finish, and those that wait are cancelled.
    await settledOrLater(served.built.calls.end(new SessionEndError()), FINISH_MS);
    await end(served);
  }

  /** Makes a server for one request, and closes it after the response. Throws HttpError. */
  createRequestServer(res: ServerResponse, isAnswered: boolean): BuiltServer {
    const closed = this.#accept(res, isAnswered);
    const built = this.#options.build(true);
    const served = { id: undefined, built, openCount: 0, lastUsed: this.#now() };
    this.#track(served);
    this.#use(served, closed);
    return built;
  }

  /**
   * Refuses new requests. Resolves when all accepted calls are answered, at most after `finishMs`, and all
   * streams are closed.
   */
  async close(finishMs: number): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#sweeping);
    const served = [...this.#served];
    const calls = served.map(({ built }) => built.calls.end(new ServerEndError()));
    await settledOrLater(Promise.all([...calls, ...this.#unanswered]), finishMs);
    await Promise.all(served.map(end));
  }

  /** Resolves when the response is closed. */
  #accept(res: ServerResponse, isAnswered: boolean): Promise<void> {
    if (this.#isClosing) throw new HttpError(503, 'The server is stopping.', { headers: CLOSE });
    const closed = new Promise<void>((resolve) => res.once('close', resolve));
    if (isAnswered) this.#unanswered.add(closed);
    void closed.then(() => this.#unanswered.delete(closed));
    return closed;
  }

  #use(served: ActiveServer, closed: Promise<void>): void {
    served.openCount += 1;
    void closed.then(async () => {
      served.openCount -= 1;
      served.lastUsed = this.#now();
      if (served.id !== undefined) return;
      // A client that disconnects does not cancel its call, so the call is finished.
      await served.built.calls.idle();
      await end(served);
    });
  }

  async #sessionOf(req: IncomingMessage, body: unknown): Promise<ConnectedServer> {
    const id = headerOf(req, 'mcp-session-id');
    const session = id === undefined ? undefined : this.#sessions.get(id);
    if (id !== undefined && session !== undefined) {
      this.#sessions.delete(id); // moves it to the end: the most recently used
      this.#sessions.set(id, session);
      return session;
    }
    if (isInitializeRequest(body)) return this.#begin();
    if (isRecord(body) && body['method'] === 'initialize') {
      const message =
        'initialize must have the parameters protocolVersion, capabilities and clientInfo.';
      throw new HttpError(400, message, { code: ErrorCode.InvalidParams });
    }
    if (id !== undefined) throw new HttpError(404, NO_SESSION, { code: SESSION_NOT_FOUND });
    throw new HttpError(
      400,
      'The header Mcp-Session-Id is missing. Start a session with initialize.',
    );
  }

  async #begin(): Promise<ConnectedServer> {
    const { maxSessions } = this.#options;
    if (this.#sessions.size >= maxSessions && !this.#evictIdle()) {
      const message = `All ${maxSessions} sessions are in use. Try again later.`;
      throw new HttpError(503, message, { headers: { 'Retry-After': '60' } });
    }
    const id = newUuid();
    const session = await this.#connect(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** Without an id the server answers one request. */
  async #connect(id?: string): Promise<ConnectedServer> {
    const built = this.#options.build(id !== undefined);
    const transport = new SessionTransport(id);
    const served = { id, built, transport, openCount: 0, lastUsed: this.#now() };
    this.#track(served);
    await built.server.connect(transport);
    return served;
  }

  #track(served: ActiveServer): void {
    this.#served.add(served);
    served.built.server.onclose = () => {
      this.#served.delete(served);
      if (served.id !== undefined) this.#sessions.delete(served.id);
      void served.built.calls.end(new SessionEndError());
    };
  }

  /** Closes the idle session that was used least recently. Returns false if no session is idle. */
  #evictIdle(): boolean {
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

const NO_SESSION = 'Session not found: it has ended. Start a new session with initialize.';
/** The number that the SDK's transport uses. */
const SESSION_NOT_FOUND = -32001;
const CLOSE = { Connection: 'close' };

/** A call can run after its client has disconnected; closing the session would cancel it. */
const isUnused = ({ openCount, built }: ActiveServer) => openCount === 0 && built.calls.isIdle;
const end = ({ built }: ActiveServer) => built.server.close();
