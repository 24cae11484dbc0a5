/**
 * The MCP messages on stdin and stdout. A separate server answers each request of the stateless protocol
 * (2026-07-28). All other messages belong to one session, and this class is its transport. A client can
 * use both on one connection, for example `server/discover` and then `initialize`.
 */
import type { Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CancelledNotificationSchema,
  ErrorCode,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { ServerEndError } from '../../base/async/server-end.js';
import type { Log } from '../../base/log.js';
import type { BuiltServer } from '../mcp/build-server.js';
import { errorResponse, RpcError } from '../mcp/errors/rpc-error.js';
import { parseMessages } from '../mcp/rpc-message.js';
import { type StatelessChannel, StatelessExchange } from '../mcp/stateless/stateless-exchange.js';
import {
  checkSupported,
  isStateless,
  requestedVersion,
} from '../mcp/stateless/stateless-request.js';
import { LineReader } from './line-reader.js';

/** Maximum length of a message. A text can have megabytes, and JSON can escape one byte as six. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface StdioConnectionOptions {
  readonly stdout: Writable;
  /** Makes a server: one for the session, and one for each request of the stateless protocol. */
  readonly build: () => BuiltServer;
  readonly log: Log;
}

interface RunningRequest {
  readonly exchange: StatelessExchange;
  readonly built: BuiltServer;
}

export class StdioConnection implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioConnectionOptions;
  readonly #lines = new LineReader(MAX_LINE_BYTES);
  /** Stateless requests that are not answered yet. */
  readonly #running = new Map<RequestId, RunningRequest>();
  /** Resolves when the client has read enough; `undefined` while stdout accepts messages. */
  #draining: Promise<void> | undefined;

  constructor(options: StdioConnectionOptions) {
    this.#options = options;
  }

  /** Does nothing: `receive` gets the messages. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Resolves when stdout has accepted the message. */
  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(message);
  }

  /** Handles the messages that a chunk of stdin completes. */
  receive(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) {
      if (line === undefined) this.#refuse(tooLong());
      else if (line.some((byte) => byte > SPACE)) this.#receiveLine(line);
    }
  }

  /** Resolves when all stateless requests are finished. Listening requests are closed. */
  async finishRequests(): Promise<void> {
    const finish = async ({ exchange, built: { calls, server } }: RunningRequest) => {
      await calls.end(new ServerEndError());
      if (exchange.isListening) await server.close();
    };
    await Promise.all([...this.#running.values()].map(finish));
  }

  #receiveLine(line: Buffer): void {
    try {
      const message = parseMessages(line);
      if (Array.isArray(message)) throw noBatch();
      this.#dispatch(message);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.#refuse(error);
    }
  }

  #dispatch(message: JSONRPCMessage): void {
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    const running = cancelled === undefined ? undefined : this.#running.get(cancelled);
    if (running !== undefined) void running.exchange.cancel();
    else if (!isStateless(message)) this.onmessage?.(message);
    // Other notifications of this revision have no effect.
    else if ('id' in message && 'method' in message) void this.#answer(message);
  }

  async #answer(request: JSONRPCRequest): Promise<void> {
    const { id } = request;
    try {
      checkSupported(request, requestedVersion(request));
      if (this.#running.has(id)) {
        throw new RpcError(ErrorCode.InvalidRequest, 'Invalid request: the id is in use.');
      }
      const built = this.#options.build();
      const exchange = new StatelessExchange(request, built, this.#channel(id, built));
      this.#running.set(id, { exchange, built });
      await exchange.start().catch(async (error: unknown) => {
        await this.#end(id, built);
        throw error;
      });
    } catch (error) {
      const isExpected = error instanceof RpcError;
      if (!isExpected) this.#options.log.error({ err: error }, 'a request on stdin failed');
      const answer = isExpected
        ? error
        : new RpcError(ErrorCode.InternalError, 'The request failed. The log has the reason.');
      await this.#write(errorResponse(answer, id));
    }
  }

  #channel(id: RequestId, built: BuiltServer): StatelessChannel {
    const write = (message: unknown) => void this.#write(message);
    return { notify: write, answer: write, close: () => void this.#end(id, built) };
  }

  async #end(id: RequestId, built: BuiltServer): Promise<void> {
    if (this.#running.get(id)?.built !== built) return;
    this.#running.delete(id);
    // A cancelled call can still be writing, so its server ends after it.
    await built.calls.idle();
    await built.server.close();
  }

  #refuse(error: RpcError): void {
    this.#options.log.warn({ reason: error.message }, 'a message on stdin was refused');
    void this.#write(errorResponse(error));
  }

  #write(message: unknown): Promise<void> {
    const { stdout } = this.#options;
    if (stdout.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
    // One listener for all messages: Node prints a warning if there are more than ten.
    this.#draining ??= new Promise((resolve) => {
      stdout.once('drain', () => {
        this.#draining = undefined;
        resolve();
      });
    });
    return this.#draining;
  }
}

const SPACE = 0x20;
const tooLong = () =>
  new RpcError(
    ErrorCode.InvalidRequest,
    `Invalid request: it is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB.`,
  );
const noBatch = () =>
  new RpcError(
    ErrorCode.InvalidRequest,
    'Invalid request: on stdio each line must have one message, not a batch.',
  );
