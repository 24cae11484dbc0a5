/**
 * Answers one request of the stateless protocol (2026-07-28) by a server of its own, which speaks the
 * revision before: what it says is rewritten on the way. One JSON answer, or a stream once there is
 * something to tell before it. A client that closes the connection cancels the request.
 */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  type InitializeResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
} from '@modelcontextprotocol/sdk/types.js';
import type { Response } from 'express';
import { z } from 'zod';
import { newUuid } from '../../base/ids.js';
import { type BuiltServer, SERVER_INFO } from '../build-server.js';
import { VERSIONS } from './modern-request.js';
import { Refusal } from './refusal.js';

const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
const KEEP_ALIVE_MS = 15_000;
/** Lists of tools and prompts never change while a server runs. */
const STATIC_MS = 5 * 60_000;
/** How long an answer may be kept; files may change at any time. */
const FRESH_MS: Record<string, number> = {
  'server/discover': STATIC_MS,
  'tools/list': STATIC_MS,
  'prompts/list': STATIC_MS,
  'resources/list': 0,
  'resources/templates/list': STATIC_MS,
  'resources/read': 0,
};
/** "Resource not found" of earlier revisions, which this one calls wrong parameters. */
const OLD_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;

const filterSchema = z.looseObject({
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).max(1000).optional(),
});
type Filter = z.output<typeof filterSchema>;

type Params = Record<string, unknown> & { _meta?: Record<string, unknown> | undefined };

/** Resolves when the answer is on its way, or the stream of news is open. */
export async function answerModern(
  request: JSONRPCRequest,
  res: Response,
  { server }: BuiltServer,
): Promise<void> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  const exchange = new Exchange(request, res, here);
  here.onclose = () => exchange.end();
  await (isListening(request) ? exchange.listen() : exchange.ask());
}

/** News go on until the client or the server ends; an answer comes and is done. */
export const isListening = ({ method }: JSONRPCRequest) => method === 'subscriptions/listen';

class Exchange {
  readonly #request: JSONRPCRequest;
  readonly #res: Response;
  readonly #server: InMemoryTransport;
  /** Who waits for what the server was asked in the client's name. */
  readonly #asked = new Map<unknown, (isGranted: boolean) => void>();
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(request: JSONRPCRequest, res: Response, server: InMemoryTransport) {
    this.#request = request;
    this.#res = res;
    this.#server = server;
  }

  /** Without one the client wants to hear nothing. */
  get #logLevel(): unknown {
    return this.#request.params?._meta?.[LOG_LEVEL_KEY];
  }

  async ask(): Promise<void> {
    const { id, method, params } = this.#request;
    this.#server.onmessage = (message) => this.#pass(message);
    this.#res.once('close', () => void this.#cancel());
    if (this.#logLevel !== undefined) {
      const about = { method: 'logging/setLevel', params: { level: this.#logLevel } };
      await this.#server.send({ jsonrpc: '2.0', id: newUuid(), ...about });
    }
    const forwarded = method === 'server/discover' ? GREETING : { method, params };
    await this.#server.send({ jsonrpc: '2.0', id, ...forwarded } as JSONRPCRequest);
  }

  /** Subscribes in the client's name, says to what, and passes on what it wants to hear. */
  async listen(): Promise<void> {
    const { id, params } = this.#request;
    const parsed = filterSchema.safeParse(params?.['notifications']);
    if (!parsed.success) {
      const message = 'Invalid params: notifications says what to listen to.';
      throw new Refusal(400, message, { id, code: INVALID_PARAMS });
    }
    const honoured: Filter = {};
    this.#server.onmessage = (message) => this.#tell(message, honoured);
    const { resourcesListChanged, resourceSubscriptions = [] } = parsed.data;
    for (const uri of resourceSubscriptions) {
      if (!(await this.#isGranted('resources/subscribe', { uri }))) continue;
      honoured.resourceSubscriptions = [...(honoured.resourceSubscriptions ?? []), uri];
    }
    if (resourcesListChanged) {
      honoured.resourcesListChanged = await this.#isGranted('resources/list', {});
    }
    this.#event(
      tagged('notifications/subscriptions/acknowledged', { notifications: honoured }, id),
    );
    this.#keepAlive = setInterval(() => this.#res.write(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
    this.#res.once('close', () => clearInterval(this.#keepAlive));
  }

  /** Asks the server in the client's name. */
  #isGranted(method: string, params: Params): Promise<boolean> {
    const id = this.#asked.size;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      void this.#server.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** The server has ended: a stream of news says so. */
  end(): void {
    clearInterval(this.#keepAlive);
    if (this.#res.writableEnded || this.#res.destroyed) return;
    const { id } = this.#request;
    const _meta = { [SERVER_KEY]: SERVER_INFO, [SUBSCRIPTION_KEY]: id };
    if (isListening(this.#request)) {
      this.#event({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } });
    }
    this.#res.end();
  }

  #pass(message: JSONRPCMessage): void {
    if ('method' in message) {
      const isUnasked = message.method === 'notifications/message' && this.#logLevel === undefined;
      if (!isUnasked) this.#event(message);
      return;
    }
    if (message.id !== this.#request.id) return; // of the log level
    const answer = JSON.stringify(this.#rewritten(message));
    if (!this.#res.headersSent) return void this.#res.type('application/json').end(answer);
    this.#res.end(`event: message\ndata: ${answer}\n\n`);
  }

  #rewritten(message: JSONRPCMessage): unknown {
    if ('error' in message) {
      const { error } = message;
      const code = error.code === OLD_NOT_FOUND ? INVALID_PARAMS : error.code;
      return { ...message, error: { ...error, code } };
    }
    if (!('result' in message)) return message;
    const { method } = this.#request;
    const isGreeting = method === 'server/discover';
    const result = isGreeting ? discovered(message.result as InitializeResult) : message.result;
    const ttlMs = FRESH_MS[method];
    return {
      ...message,
      result: {
        ...result,
        resultType: 'complete',
        ...(ttlMs !== undefined && { ttlMs, cacheScope: 'private' }),
        _meta: { ...message.result._meta, [SERVER_KEY]: SERVER_INFO },
      },
    };
  }

  #tell(message: JSONRPCMessage, { resourcesListChanged, resourceSubscriptions = [] }: Filter) {
    if (!('method' in message)) return this.#asked.get(message.id)?.('result' in message);
    const { method, params = {} } = message;
    const isUpdate =
      method === 'notifications/resources/updated' &&
      resourceSubscriptions.includes(String(params['uri']));
    const isListed = method === 'notifications/resources/list_changed' && resourcesListChanged;
    if (isUpdate || isListed) this.#event(tagged(method, params, this.#request.id));
  }

  #event(message: unknown): void {
    if (this.#res.destroyed) return;
    if (!this.#res.headersSent) {
      this.#res.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
      this.#res.flushHeaders();
    }
    this.#res.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async #cancel(): Promise<void> {
    if (this.#res.writableEnded) return;
    const params = { requestId: this.#request.id, reason: 'the client closed the connection' };
    const method = 'notifications/cancelled';
    await this.#server.send({ jsonrpc: '2.0', method, params }).catch(() => undefined);
  }
}

const GREETING = {
  method: 'initialize',
  params: {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'server/discover', version: '1' },
  },
};

function discovered({ capabilities, instructions }: InitializeResult) {
  return { supportedVersions: VERSIONS, capabilities, instructions };
}

function tagged(method: string, params: Params, id: string | number) {
  const _meta = { ...params._meta, [SUBSCRIPTION_KEY]: id };
  return { jsonrpc: '2.0', method, params: { ...params, _meta } };
}
