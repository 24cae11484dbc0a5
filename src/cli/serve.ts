/**
 * `daybook serve`: MCP on stdin and stdout, or over HTTP. stdout carries JSON-RPC and nothing else;
 * everything that is meant for people goes to stderr.
 */
import type { App } from '../app.js';
import { AppError } from '../base/errors.js';
import { createLog, type Log } from '../base/log.js';
import type { Config } from '../config.js';
import { buildServer } from '../server/build-server.js';
import { serveStdio } from '../server/stdio.js';
import { configuration, type Flags } from './configuration.js';

export interface ServeOptions {
  mode?: string;
  http?: boolean;
  port?: string;
  host?: string;
  stateless?: boolean;
}

/** Serves until the client has gone or the process is asked to end; then the process ends with 0. */
export async function serve(options: ServeOptions, flags: Flags): Promise<void> {
  console.log = console.error;
  const config = configuration({ ...flags, ...flagsOf(options) });
  const log = createLog(config.logLevel);
  for (const notice of config.notices) log.warn(notice);
  if (config.mode === 'http') await overHttp(config, log);
  else await overStdio(config, log);
  // Nothing is left to do; an open stdin would keep the process alive.
  process.exit(0);
}

function flagsOf({ mode, http, port, host, stateless }: ServeOptions): Flags {
  if (http && mode !== undefined && mode !== 'http') {
    throw new AppError('VALIDATION_ERROR', `--http and --mode ${mode} contradict each other.`);
  }
  return {
    mode: http ? 'http' : mode,
    httpPort: port,
    httpHost: host,
    httpStateless: stateless ? 'on' : undefined,
  };
}

/** The stores are opened first: nothing waits for a handshake, and a broken disk ends the start. */
async function overHttp(config: Config, log: Log): Promise<void> {
  const { openHttp } = await import('../server/http.js');
  const app = await openApp(config, log);
  const { toolsets, http } = config;
  const build = (hasSession: boolean) =>
    buildServer({ app: () => app, toolsets, isRemote: true, hasSession, log });
  const stop = stopSignal();
  try {
    const server = await openHttp({ config: http, build, log });
    console.error(`daybook serves MCP at ${server.url}`);
    if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
    log.debug({ reason: stop.reason }, 'ending');
    await server.close();
  } finally {
    await app.close();
  }
}

async function overStdio(config: Config, log: Log): Promise<void> {
  if (process.stdin.isTTY) {
    console.error('daybook waits for an MCP client on stdin; Ctrl-C ends it. See daybook --help.');
  }
  const app = lazily(() => openApp(config, log));
  const { server, calls } = buildServer({ app: app.get, toolsets: config.toolsets, log });
  // Loading the stores beside the handshake would delay its answer by a third.
  server.oninitialized = () => void app.get().catch(() => undefined);
  await serveStdio({
    server,
    calls,
    stdin: process.stdin,
    stdout: process.stdout,
    stop: stopSignal(),
    log,
  });
  await app.close();
}

/** A failure is the answer to the calls that wait for it; the next call tries again. */
async function openApp(config: Config, log: Log): Promise<App> {
  try {
    const { createApp } = await import('../app.js');
    const app = await createApp(config, { log });
    app.start();
    return app;
  } catch (error) {
    log.error({ err: error }, 'the store cannot be opened');
    throw error;
  }
}

/** Opens once, at the first `get`. */
function lazily(open: () => Promise<App>) {
  let opening: Promise<App> | undefined;
  return {
    get: () => {
      opening ??= open().catch((error: unknown) => {
        opening = undefined; // the disk may be back, or the folder made writable
        throw error;
      });
      return opening;
    },
    close: async () => {
      const [opened] = await Promise.allSettled([opening]);
      if (opened.status === 'fulfilled') await opened.value?.close();
    },
  };
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(name, () => stop.abort(name));
  }
  return stop.signal;
}
