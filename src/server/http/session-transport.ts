/**
 * The transport of one session, or of one request without a session: Streamable HTTP of the MCP revisions
 * up to 2025-11-25. The SDK has such a transport too. It converts each request and response to the objects
 * of `fetch`, which takes as long as all the rest of a `ping`, and it never ends the stream of a cancelled
 * call (decision 0085).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  type JSONRPCMessage,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { headerOf } from './headers.js';
import { HttpError } from './http-error.js';
import { ResponseChannel } from './response-channel.js';

/** The response to one POST, with the ids of its requests that are not answered yet. */
interface OpenResponse {
  readonly channel: ResponseChannel;
  readonly waiting: Set<RequestId>;
}

export class SessionTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Absent for a transport of one request. */
  readonly sessionId?: string;
  /** By the id of a request; the requests of a batch have one response. */
  readonly #open = new Map<RequestId, OpenResponse>();
  /**
   * The streams that the client opened with GET, for notifications that belong to no request. Only the newest
   * one gets them: a client whose network changed opens another one before the server sees that the earlier
   * connection is broken.
   */
  readonly #notifications = new Set<ResponseChannel>();
  #isInitialized = false;
  #isClosed = false;

  constructor(sessionId?: string) {
    if (sessionId !== undefined) this.sessionId = sessionId;
  }

  async start(): Promise<void> {
    // Nothing to do: `handle` is called for each request.
  }

  /** Answers a GET, or a POST with its parsed body. Throws HttpError. */
  handle(
    req: IncomingMessage,
    res: ServerResponse,
    body?: JSONRPCMessage | JSONRPCMessage[],
  ): void {
    const messages = body === undefined ? [] : [body].flat();
    if (messages.some(isInitialize)) this.#initialize(messages.length);
    else checkVersion(req);
    if (this.sessionId !== undefined) res.setHeader('Mcp-Session-Id', this.sessionId);
    if (body === undefined) this.#openNotifications(req, res);
    else this.#receive(messages, res);
  }

  /** Sends an answer or a notification. If its client has disconnected, the message is dropped. */
  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isAnswer = !('method' in message);
    const id = isAnswer ? message.id : options?.relatedRequestId;
    if (id === undefined) return [...this.#notifications].at(-1)?.notify(message);
    const response = this.#open.get(id);
    if (isAnswer && response?.waiting.size === 1) response.channel.answer(message);
    else response?.channel.notify(message);
    if (isAnswer) this.#settle(id);
  }

  /** Ends all responses and the stream of notifications. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { channel } of this.#open.values()) channel.close();
    for (const channel of this.#notifications) channel.close();
    this.onclose?.();
  }

  #initialize(messageCount: number): void {
    const code = ErrorCode.InvalidRequest;
    if (this.#isInitialized) {
      throw new HttpError(400, 'Invalid request: the session is already initialized.', { code });
    }
    if (messageCount > 1) {
      throw new HttpError(400, 'Invalid request: initialize must be sent alone.', { code });
    }
    this.#isInitialized = true;
  }

  #openNotifications(req: IncomingMessage, res: ServerResponse): void {
    if (!req.headers.accept?.includes('text/event-stream')) {
      throw new HttpError(406, 'The header Accept must have text/event-stream.');
    }
    const channel = new ResponseChannel(res, true);
    this.#notifications.add(channel);
    channel.open();
    res.once('close', () => this.#notifications.delete(channel));
  }

  #receive(messages: readonly JSONRPCMessage[], res: ServerResponse): void {
    const waiting = new Set(messages.flatMap(requestId));
    if (waiting.size === 0) res.writeHead(202).end();
    else {
      const channel = new ResponseChannel(res, true);
      const response = { channel, waiting };
      for (const id of waiting) {
        // If the client uses the id of an open request again, that one can get no answer any more.
        this.#settle(id);
        this.#open.set(id, response);
      }
      res.once('close', () => this.#forget(response));
    }
    for (const message of messages) {
      this.onmessage?.(message);
      const cancelled = cancelledId(message);
      // The SDK aborts the call in a microtask; after that the call sends nothing.
      if (cancelled !== undefined) setImmediate(() => this.#settle(cancelled));
    }
  }

  /** The request gets no further messages. Its response ends if no other request of it waits. */
  #settle(id: RequestId): void {
    const response = this.#open.get(id);
    this.#open.delete(id);
    response?.waiting.delete(id);
    if (response?.waiting.size === 0) response.channel.close();
  }

  #forget(response: OpenResponse): void {
    // A client that disconnected may have sent a request with the same id again.
    for (const id of response.waiting) {
      if (this.#open.get(id) === response) this.#open.delete(id);
    }
  }
}

const isInitialize = (message: JSONRPCMessage) =>
  'method' in message && message.method === 'initialize';

const requestId = (message: JSONRPCMessage): RequestId[] =>
  'method' in message && 'id' in message ? [message.id] : [];

/** The SDK does not cancel a request whose id is 0 or empty; it is still answered. */
function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  return (message.params?.['requestId'] as RequestId | undefined) || undefined;
}

/** A request without the header has the version that `initialize` agreed on. */
function checkVersion(req: IncomingMessage): void {
  const version = headerOf(req, 'mcp-protocol-version');
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return;
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  throw new HttpError(
    400,
    `The protocol version ${JSON.stringify(version.slice(0, 40))} is not supported. Supported are ${supported}.`,
  );
}
