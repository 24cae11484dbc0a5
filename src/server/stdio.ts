/**
 * Serves MCP over a pair of streams and ends cleanly. The SDK's transport notices neither the end
 * of stdin nor a broken stdout; this does. Whatever ends the server, calls that it accepted are
 * finished and answered first, so that no acknowledged write is lost and none is broken off.
 */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { sleep } from '../base/clock.js';
import { errnoOf } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { BuiltServer } from './build-server.js';

/** One message of the protocol; content may be megabytes that JSON escapes sixfold. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
/** Longer than any wait for a lock (10 s), so that a write that waits for one still gets through. */
const FINISH_MS = 15_000;

export interface StdioOptions extends BuiltServer {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Aborted by the signals that ask the process to end. */
  readonly stop: AbortSignal;
  readonly log: Log;
}

/** Resolves when the client has gone or `stop` was aborted, and accepted calls are answered. */
export async function serveStdio({ server, calls, stdin, stdout, stop, log }: StdioOptions) {
  const gone = new Promise<string>((resolve) => {
    stdin.once('end', () => resolve('stdin ended'));
    stdin.once('close', () => resolve('stdin closed'));
    // Stays attached: without a listener the next EPIPE would end the process amid a write.
    stdout.on('error', (error) => resolve(`stdout failed: ${errnoOf(error) ?? error.message}`));
    stop.addEventListener('abort', () => resolve(String(stop.reason)), { once: true });
    server.onclose = () => resolve('transport closed');
  });
  await server.connect(new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_LINE_BYTES }));
  log.debug({ reason: await gone }, 'ending');
  await Promise.race([calls.end(), sleep(FINISH_MS)]);
  await flushed(stdout);
  await server.close();
}

/** The SDK hands an answer to the stream a few turns after the call has settled. */
async function flushed(stdout: Writable): Promise<void> {
  await sleep(10);
  if (stdout.destroyed || stdout.errored) return;
  await Promise.race([
    new Promise<void>((resolve) => stdout.write('', () => resolve())),
    sleep(1_000),
  ]);
}
