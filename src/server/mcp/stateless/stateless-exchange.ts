/**
 * Answers one request of the stateless protocol (2026-07-28). A separate server for each request, which
 * uses the previous revision, does the work; this file translates between the two revisions. The
 * transport gives a channel: stdio writes lines, HTTP writes a JSON answer or an event stream.
 */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  ErrorCode,
  type InitializeResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { newUuid } from '../../../base/ids.js';
import { type BuiltServer, SERVER_INFO } from '../build-server.js';
import { RESOURCE_NOT_FOUND, RpcError } from '../errors/rpc-error.js';
import { DISCOVER, isListening, STATELESS_VERSIONS } from './stateless-request.js';

const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
/** Lists of tools and prompts never change while a server runs. */
const STATIC_MS = 5 * 60_000;
/** `ttlMs` by method: how long a client may cache an answer. Resources can change at any time. */
const TTL_MS: Record<string, number> = {
  [DISCOVER]: STATIC_MS,
  'tools/list': STATIC_MS,
  'prompts/list': STATIC_MS,
  'resources/list': 0,
  'resources/templates/list': STATIC_MS,
  'resources/read': 0,
};

const filterSchema = z.looseObject({
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).max(1000).optional(),
});
type Filter = z.output<typeof filterSchema>;

type Params = Record<string, unknown> & { _meta?: Record<string, unknown> | undefined };

/** Sends the messages of one request to the client. */
export interface StatelessChannel {
  /** Sends a notification, before the answer. */
  notify(message: unknown): void;
  /** Sends the answer, which is the last message. */
  answer(message: unknown): void;
  /** Called once at the end, also if no answer was sent. */
  close(): void;
}

export class StatelessExchange {
  readonly #request: JSONRPCRequest;
  readonly #built: BuiltServer;
  readonly #channel: StatelessChannel;
  readonly #client: InMemoryTransport;
  readonly #serverSide: InMemoryTransport;
  /** Requests of the exchange itself to the server, by id, with the function that gets the outcome. */
  readonly #waiting = new Map<unknown, (isGranted: boolean) => void>();
  #isOver = false;

  constructor(request: JSONRPCRequest, built: BuiltServer, channel: StatelessChannel) {
    this.#request = request;
    this.#built = built;
    this.#channel = channel;
    [this.#client, this.#serverSide] = InMemoryTransport.createLinkedPair();
  }

  /** True for a request whose notifications continue until the client or the server ends it. */
  get isListening(): boolean {
    return isListening(this.#request);
  }

  /** Resolves when the server has received the request. Throws RpcError for invalid parameters. */
  async start(): Promise<void> {
    await this.#built.server.connect(this.#serverSide);
    this.#client.onclose = () => this.#end();
    await (this.isListening ? this.#listen() : this.#ask());
  }

  /** Cancels the request; no answer is sent. */
  async cancel(): Promise<void> {
    if (this.#isOver) return;
    this.#finish();
    const params = { requestId: this.#request.id, reason: 'the client cancelled the request' };
    const method = 'notifications/cancelled';
    await this.#client.send({ jsonrpc: '2.0', method, params }).catch(() => undefined);
  }

  /** The minimum level of log messages; without it no log messages are sent. */
  get #logLevel(): unknown {
    return this.#request.params?._meta?.[LOG_LEVEL_KEY];
  }

  async #ask(): Promise<void> {
    const { id, method, params } = this.#request;
    this.#client.onmessage = (message) => this.#pass(message);
    if (this.#logLevel !== undefined) {
      const setLevel = { method: 'logging/setLevel', params: { level: this.#logLevel } };
      await this.#client.send({ jsonrpc: '2.0', id: newUuid(), ...setLevel });
    }
    const forwarded = method === DISCOVER ? INITIALIZE : { method, params };
    await this.#client.send({ jsonrpc: '2.0', id, ...forwarded } as JSONRPCRequest);
  }

  /** Subscribes for the client, acknowledges the granted subscriptions, and forwards notifications. */
  async #listen(): Promise<void> {
    const { id, params } = this.#request;
    const parsed = filterSchema.safeParse(params?.['notifications']);
    if (!parsed.success) {
      const message =
        'Invalid params: notifications must be an object with the notifications to receive.';
      throw new RpcError(ErrorCode.InvalidParams, message);
    }
    const honoured: Filter = {};
    this.#client.onmessage = (message) => this.#notify(message, honoured);
    const { resourcesListChanged, resourceSubscriptions = [] } = parsed.data;
    for (const uri of resourceSubscriptions) {
      if (this.#isOver) return;
      if (!(await this.#isGranted('resources/subscribe', { uri }))) continue;
      honoured.resourceSubscriptions = [...(honoured.resourceSubscriptions ?? []), uri];
    }
    if (resourcesListChanged && !this.#isOver) {
      honoured.resourcesListChanged = await this.#isGranted('resources/list', {});
    }
    if (this.#isOver) return;
    const method = 'notifications/subscriptions/acknowledged';
    this.#channel.notify(tagged(method, { notifications: honoured }, id));
  }

  #isGranted(method: string, params: Params): Promise<boolean> {
    const id = this.#waiting.size;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#client.send({ jsonrpc: '2.0', id, method, params }).catch(() => resolve(false)); // the exchange has ended
    });
  }

  /** Called when the server has ended: answers a listening request. */
  #end(): void {
    for (const settle of this.#waiting.values()) settle(false);
    if (this.#isOver) return;
    if (this.isListening) {
      const { id } = this.#request;
      const _meta = { [SERVER_KEY]: SERVER_INFO, [SUBSCRIPTION_KEY]: id };
      this.#channel.answer({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } });
    }
    this.#finish();
  }

  #finish(): void {
    this.#isOver = true;
    this.#channel.close();
  }

  #pass(message: JSONRPCMessage): void {
    if (this.#isOver) return;
    if ('method' in message) {
      const isUnwanted = message.method === 'notifications/message' && this.#logLevel === undefined;
      if (!isUnwanted) this.#channel.notify(message);
      return;
    }
    if (message.id !== this.#request.id) return; // the answer to logging/setLevel
    this.#channel.answer(this.#translated(message));
    this.#finish();
  }

  #translated(message: JSONRPCMessage): unknown {
    if ('error' in message) {
      const { error } = message;
      // In this revision "resource not found" has the code of invalid parameters.
      const code = error.code === RESOURCE_NOT_FOUND ? ErrorCode.InvalidParams : error.code;
      return { ...message, error: { ...error, code } };
    }
    if (!('result' in message)) return message;
    const { method } = this.#request;
    const result =
      method === DISCOVER ? discovered(message.result as InitializeResult) : message.result;
    const ttlMs = TTL_MS[method];
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

  #notify(message: JSONRPCMessage, { resourcesListChanged, resourceSubscriptions = [] }: Filter) {
    if (!('method' in message)) {
      const settle = 'id' in message && this.#waiting.get(message.id);
      if (settle) settle('result' in message);
      return;
    }
    if (this.#isOver) return;
    const { id } = this.#request;
    const { method, params = {} } = message as { method: string; params?: Params };
    const isWanted =
      method === 'notifications/resources/list_changed'
        ? resourcesListChanged === true
        : method === 'notifications/resources/updated' &&
          resourceSubscriptions.includes(String(params['uri']));
    if (isWanted) this.#channel.notify(tagged(method, params, id));
  }
}

const INITIALIZE = {
  method: 'initialize',
  params: {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: DISCOVER, version: '1' },
  },
};

function discovered({ capabilities, instructions }: InitializeResult) {
  return { supportedVersions: STATELESS_VERSIONS, capabilities, instructions };
}

function tagged(method: string, params: Params, id: string | number) {
  const _meta = { ...params._meta, [SUBSCRIPTION_KEY]: id };
  return { jsonrpc: '2.0', method, params: { ...params, _meta } };
}
