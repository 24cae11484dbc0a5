/**
 * `daybook open` without a name: serves the page on this machine and opens it in the browser with a link
 * that can be used once. It runs until Ctrl-C or SIGTERM.
 */
import { dirname, join } from 'node:path';
import { AppError, isAppError } from '../../base/errors.js';
import { createLog } from '../../base/log.js';
import { isLoopback } from '../../base/loopback.js';
import { readOrCreateToken } from '../../files/access-token-file.js';
import type { HttpOptions, HttpServer } from '../../server/http/http-server.js';
import { buildServer } from '../../server/mcp/build-server.js';
import { configuration, type Flags } from '../options/configuration.js';
import { closeApp, endProcess, limitEnding, stopSignal } from '../serving/end-process.js';
import { openApp, PAGE_FOLDER, serverOptions } from '../serving/server-setup.js';
import { openWithDefaultProgram } from '../terminal/default-program.js';

export interface OpenPageOptions {
  readonly print?: boolean;
  readonly port?: string;
}

/** Prints the link to stdout; with `print` no browser is started. */
export async function openPage(
  { print = false, port }: OpenPageOptions,
  flags: Flags,
): Promise<void> {
  const config = configuration({ ...flags, httpPort: port });
  const log = createLog(config.logLevel);
  const app = await openApp(config, log);
  const token =
    config.http.token ?? (await readOrCreateToken(join(dirname(config.configFile), 'http-token')));
  const host = isLoopback(config.http.host) ? config.http.host : '127.0.0.1';
  const build = (hasSession: boolean) =>
    buildServer({ ...serverOptions(config, log), app: () => app, isRemote: true, hasSession });
  const stop = stopSignal();
  try {
    const options = {
      config: { ...config.http, host, token },
      build,
      log,
      page: { folder: PAGE_FOLDER, app: () => app },
    };
    const server = await listen(options, port !== undefined);
    console.log(server.pageLink());
    if (!print) await openBrowser(server.pageLink({ isListed: true }));
    console.error(
      'The page is available until you press Ctrl-C. The link works once and expires after two minutes.',
    );
    if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
    limitEnding(log);
    await server.close();
  } finally {
    await closeApp(app);
  }
  await endProcess();
}

/**
 * Listens on the configured port, so that bookmarks stay valid, or on a free port if it is in use. A port
 * that the user typed is not replaced: VALIDATION_ERROR.
 */
async function listen(options: HttpOptions, isTyped: boolean): Promise<HttpServer> {
  const { openHttp } = await import('../../server/http/http-server.js');
  try {
    return await openHttp(options);
  } catch (error) {
    if (!isAppError(error, 'VALIDATION_ERROR')) throw error;
    if (isTyped) {
      throw new AppError('VALIDATION_ERROR', error.message, {
        hint: 'Choose another port, or omit --port: then Daybook uses a free port.',
        cause: error,
      });
    }
    return openHttp({ ...options, config: { ...options.config, port: 0 } });
  }
}

async function openBrowser(link: string): Promise<void> {
  try {
    await openWithDefaultProgram(link);
  } catch {
    console.error('Daybook could not start a browser. Open the link above.');
  }
}
