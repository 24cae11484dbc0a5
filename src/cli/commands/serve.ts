/** `daybook serve`: MCP over stdio or HTTP. stdout has only JSON-RPC, stderr the messages for people. */
import { dirname, join } from 'node:path';
import type { App } from '../../app.js';
import { AppError, isAppError } from '../../base/errors.js';
import { createLog, type Log } from '../../base/log.js';
import type { Config } from '../../config/config.js';
import type { HttpConfig } from '../../config/settings/http-settings.js';
import { readOrCreateToken } from '../../files/access-token-file.js';
import { buildServer } from '../../server/mcp/build-server.js';
import { serveStdio } from '../../server/stdio/stdio-server.js';
import { configuration, type Flags } from '../options/configuration.js';
import { closeApp, endProcess, limitEnding, stopSignal } from '../serving/end-process.js';
import { openApp, PAGE_FOLDER, serverOptions } from '../serving/server-setup.js';

export interface ServeOptions {
  mode?: string;
  http?: boolean;
  port?: string;
  host?: string;
  stateless?: boolean;
}

/** Serves until the client disconnects or a signal arrives. Then the process ends with `process.exitCode`. */
export async function serve(options: ServeOptions, flags: Flags): Promise<void> {
  console.log = console.error;
  const config = configuration({ ...flags, ...flagsOf(options) });
  if (config.mode === 'stdio') refuseHttpOptions(options);
  const log = createLog(config.logLevel);
  for (const notice of config.notices) log.warn(notice);
  if (config.mode === 'http') await overHttp(config, log);
  else await overStdio(config, log);
  // An open stdin would keep the process alive.
  await endProcess();
}

/** Without this, `serve --port 3000` would wait on stdin, listen on no port, and print nothing. */
function refuseHttpOptions({ port, host, stateless }: ServeOptions): void {
  const given = Object.entries({ port, host, stateless }).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  throw new AppError('VALIDATION_ERROR', `--${given[0]} is only for a server over HTTP.`, {
    hint: 'Add --http.',
  });
}

/** A token `auto` is read from the user's token file, or created there. */
async function withToken({ http, configFile }: Config): Promise<HttpConfig> {
  if (http.hasTokenFile) {
    const file = join(dirname(configFile), 'http-token');
    const token = await readOrCreateToken(file);
    console.error(
      `Clients must send the token in the file ${file}, as the header Authorization: Bearer <token>.`,
    );
    return { ...http, token };
  }
  if (http.token === undefined) {
    console.error(
      'No token is set: every user and program of this machine can read and change this root through the port. To prevent this, set DAYBOOK_HTTP_TOKEN=auto, which makes a token that only you can read (docs/HTTP.md).',
    );
  }
  return http;
}

function flagsOf({ mode, http, port, host, stateless }: ServeOptions): Flags {
  if (http && mode !== undefined && mode !== 'http') {
    throw new AppError('VALIDATION_ERROR', `--http and --mode ${mode} cannot be used together.`);
  }
  return {
    mode: http ? 'http' : mode,
    httpPort: port,
    httpHost: host,
    httpStateless: stateless ? 'on' : undefined,
  };
}

/**
 * Opens the stores before it listens, so that the start fails if they cannot be opened. If the root is
 * unavailable, it listens anyway, and each call tries to open the stores again.
 */
async function overHttp(config: Config, log: Log): Promise<void> {
  const { openHttp } = await import('../../server/http/http-server.js');
  const app = lazily(config, log);
  await app.get().catch((error: unknown) => {
    if (!isAppError(error, 'STORAGE_UNAVAILABLE')) throw error;
    console.error(`${error.message} ${error.hint}`);
  });
  const build = (hasSession: boolean) =>
    buildServer({ ...serverOptions(config, log), app: app.get, isRemote: true, hasSession });
  const stop = stopSignal();
  try {
    const http = await withToken(config);
    const page = { folder: PAGE_FOLDER, app: app.get };
    const server = await openHttp({ config: http, build, log, page });
    console.error(`daybook serves MCP at ${server.url}`);
    console.error(`The page is at ${new URL('/', server.url)}`);
    if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
    log.debug({ reason: stop.reason }, 'ending');
    limitEnding(log);
    await server.close();
  } finally {
    await app.close();
  }
}

async function overStdio(config: Config, log: Log): Promise<void> {
  if (process.stdin.isTTY) {
    console.error(
      'daybook waits for an MCP client on stdin. To stop it, press Ctrl-C. For help, run daybook --help.',
    );
  }
  const app = lazily(config, log);
  const build = () => {
    const built = buildServer({ ...serverOptions(config, log), app: app.get });
    // The stores are opened after the handshake, whose answer would otherwise take a third longer.
    built.server.oninitialized = () => void app.get().catch(() => undefined);
    return built;
  };
  await serveStdio({
    build,
    stdin: process.stdin,
    stdout: process.stdout,
    stop: stopSignal(),
    onEnding: () => limitEnding(log),
    log,
  });
  await app.close();
}

/** Opens the stores once, at the first `get`. An error is logged, because only clients get it. */
function lazily(config: Config, log: Log) {
  let opening: Promise<App> | undefined;
  return {
    get: () => {
      opening ??= openApp(config, log).catch((error: unknown) => {
        opening = undefined; // the next call tries again
        log.error({ err: error }, 'the store cannot be opened');
        throw error;
      });
      return opening;
    },
    close: async () => {
      const [opened] = await Promise.allSettled([opening]);
      if (opened.status === 'fulfilled' && opened.value) await closeApp(opened.value);
    },
  };
}
