/**
 * The SDK's HTTP transport, with one change: it closes the stream of a cancelled call. The SDK sends no
 * answer to a cancelled request, as the specification asks, and never closes its stream. Each cancelled
 * call would then use a socket, and the session would never become idle.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CancelledNotificationSchema,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

export class SessionTransport extends StreamableHTTPServerTransport {
  /** Open requests by id, each with all open requests of its stream: those of a batch share a stream. */
  readonly #open = new Map<RequestId, Set<RequestId>>();

  override async handleRequest(
    req: IncomingMessage,
    res: ServerResponse,
    body?: unknown,
  ): Promise<void> {
    const messages: unknown[] = Array.isArray(body) ? body : [body];
    const ids = new Set(messages.flatMap(requestId));
    for (const id of ids) this.#open.set(id, ids);
    if (req.method === 'POST') sendHeadersWithAnswer(res);
    await super.handleRequest(req, res, body);
  }

  override get onmessage() {
    return super.onmessage;
  }

  override set onmessage(receive) {
    super.onmessage = (message, extra) => {
      receive?.(message, extra);
      const id = cancelledId(message);
      // The SDK aborts the call in a microtask; after that the call sends nothing.
      if (id !== undefined) setImmediate(() => this.#cancelled(id));
    };
  }

  override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isAnswer = !('method' in message) && message.id !== undefined;
    try {
      const { relatedRequestId } = options ?? {};
      await super.send(message, relatedRequestId === undefined ? {} : { relatedRequestId });
    } finally {
      if (isAnswer && message.id !== undefined) this.#settle(message.id);
    }
  }

  /** Closes the stream if no other request of it waits for an answer. */
  #cancelled(id: RequestId): void {
    const stream = this.#settle(id);
    if (stream?.size === 0) this.closeSSEStream(id);
  }

  #settle(id: RequestId): Set<RequestId> | undefined {
    const stream = this.#open.get(id);
    this.#open.delete(id);
    stream?.delete(id);
    return stream;
  }
}

/** Most calls are answered in this time. For longer calls, the headers show that the call was accepted. */
const HEADERS_MS = 50;

/**
 * Sends the headers of a stream together with the answer or the first notification. The SDK sends them
 * in a separate write, which is the slowest step of a short call.
 */
function sendHeadersWithAnswer(res: ServerResponse): void {
  const flush = res.flushHeaders.bind(res);
  res.flushHeaders = () => {
    const timer = setTimeout(flush, HEADERS_MS);
    res.once('close', () => clearTimeout(timer));
  };
}

const requestId = (message: unknown): RequestId[] => {
  const { id, method } = (message ?? {}) as { id?: RequestId; method?: string };
  return method !== undefined && id !== undefined ? [id] : [];
};

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  const cancelled = CancelledNotificationSchema.safeParse(message);
  // The SDK does not cancel a request whose id is 0 or empty; it is still answered.
  return cancelled.data?.params.requestId || undefined;
}
