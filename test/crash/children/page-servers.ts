/**
 * Serves the pages of stores as `daybook open` does, in one process for the tests of all views: a server
 * that is started for each test needs more time than the test. A line with a place starts a server, and a line
 * with `stop` ends it.
 */
import { resolve } from 'node:path';
import { silentLog as log } from '../../../src/base/log.js';
import { openApp, serverOptions } from '../../../src/cli/serving/server-setup.js';
import { loadConfig } from '../../../src/config/config.js';
import { readTextIfPresent } from '../../../src/files/safe-access/given-file.js';
import { resolveRealPath } from '../../../src/files/safe-access/real-path.js';
import { openHttp } from '../../../src/server/http/http-server.js';
import { buildServer } from '../../../src/server/mcp/build-server.js';
import { TOOLSETS } from '../../../src/tools/index.js';
import { commands, say, task } from './lines.js';

/** A store and the environment of its server, or the number of the server to stop. */
export type PageServersTask =
  | { readonly root: string; readonly env: Readonly<Record<string, string | undefined>> }
  | { readonly stop: number };

export interface ServedStore {
  readonly number: number;
  readonly link: string;
}

const TOKEN = 'the-token-of-the-tests';
const { pageFolder } = task<{ pageFolder: string }>();
const running: (() => Promise<void>)[] = [];

for await (const command of commands<PageServersTask>()) {
  if ('stop' in command) {
    await running[command.stop]?.();
    say({});
  } else say(await serve(command.root, command.env));
}

async function serve(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ServedStore> {
  const config = loadConfig({
    flags: { root, httpPort: '0' },
    env,
    home: env['HOME'] ?? root,
    cwd: resolve(root, '..'),
    knownToolsets: TOOLSETS,
    readFile: readTextIfPresent,
    realPath: resolveRealPath,
  });
  const opened = await openApp(config, log);
  const app = () => opened;
  const server = await openHttp({
    config: { ...config.http, host: '127.0.0.1', token: TOKEN },
    build: (hasSession) =>
      buildServer({ ...serverOptions(config, log), app, isRemote: true, hasSession }),
    log,
    page: { folder: pageFolder, app },
  });
  const stop = async () => {
    await server.close();
    await opened.close();
  };
  return { number: running.push(stop) - 1, link: server.pageLink() };
}
