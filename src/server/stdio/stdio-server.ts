/**
 * Serves MCP over stdin and stdout. The server ends when stdin ends, when writing to stdout fails, or
 * when `stop` is aborted. Before the end, accepted calls are finished and answered, so that no write is
 * lost or incomplete.
 */
import type { Readable, Writable } from 'node:stream';
import { ServerEndError } from '../../base/async/server-end.js';
import { settledOrLater, sleep } from '../../base/clock.js';
import { errnoOf } from '../../base/errors.js';
import { FINISH_MS } from '../accepted-calls.js';
import type { BuiltServer } from '../mcp/build-server.js';
import { StdioConnection, type StdioConnectionOptions } from './stdio-connection.js';

export interface StdioOptions extends StdioConnectionOptions {
  readonly stdin: Readable;
  /** Aborted by the signals that end the process, such as SIGTERM. */
  readonly stop: AbortSignal;
  /** Called once, when the end begins. */
  readonly onEnding?: () => void;
}

/** Resolves when the client has disconnected or `stop` was aborted, and accepted calls are answered. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { build, stdin, stdout, log } = options;
  const { server, calls } = build();
  const connection = new StdioConnection({ stdout, build, log });
  const ended = endOf(options, server);
  await server.connect(connection);
  const receive = (chunk: Buffer) => connection.receive(chunk);
  stdin.on('data', receive);
  log.debug({ reason: await ended }, 'ending');
  options.onEnding?.();
  stdin.off('data', receive).pause();
  const finished = Promise.all([calls.end(new ServerEndError()), connection.finishRequests()]);
  await settledOrLater(finished, FINISH_MS);
  await flushed(stdout);
  await server.close();
}

/** Resolves with the reason when the server has to end. */
function endOf({ stdin, stdout, stop }: StdioOptions, server: BuiltServer['server']) {
  return new Promise<string>((resolve) => {
    stdin.once('end', () => resolve('stdin ended'));
    stdin.once('close', () => resolve('stdin closed'));
    stdin.once('error', ({ message }) => resolve(`stdin failed: ${message}`));
    // `on`, not `once`: without a listener the next EPIPE would end the process during a write.
    stdout.on('error', (error) => resolve(`stdout failed: ${errnoOf(error) ?? error.message}`));
    if (stop.aborted) resolve(String(stop.reason));
    stop.addEventListener('abort', () => resolve(String(stop.reason)), { once: true });
    server.onclose = () => resolve('transport closed');
  });
}

/** Waits until the SDK, which writes an answer a short time after the end of the call, has written it. */
async function flushed(stdout: Writable): Promise<void> {
  await sleep(10);
  if (stdout.destroyed || stdout.errored) return;
  const written = new Promise<void>((resolve) => stdout.write('', () => resolve()));
  await settledOrLater(written, 1_000);
}
