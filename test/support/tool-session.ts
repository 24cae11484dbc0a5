/**
 * For test files that only call tools: before each test it starts a server in this process with its own root,
 * and connects the official client; it ends both after the test. e2e/inspector.test.ts calls every tool of
 * the built server.
 */
import { setImmediate } from 'node:timers/promises';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, beforeEach } from 'vitest';
import { createApp } from '../../src/app.js';
import { loadConfig } from '../../src/config/config.js';
import { readTextIfPresent } from '../../src/files/safe-access/given-file.js';
import { resolveRealPath } from '../../src/files/safe-access/real-path.js';
import { buildServer } from '../../src/server/mcp/build-server.js';
import { TOOLSETS } from '../../src/tools/index.js';
import { type Place, type Session, withPlace, withServerAt } from '../e2e/harness.js';

export interface ToolSession {
  place: Place;
  session: Session;
}

/** Call it at the top of a test file. The fields exist while a test runs. */
export function useToolSession(): ToolSession {
  const opened = {} as ToolSession;
  let finish = () => undefined as unknown;
  let ended: Promise<unknown> = Promise.resolve();
  beforeEach(async () => {
    await new Promise<void>((ready, failed) => {
      ended = withPlace((place) =>
        withServer(place, async (session) => {
          Object.assign(opened, { place, session });
          ready();
          await new Promise((resolve) => {
            finish = () => resolve(undefined);
          });
        }),
      );
      ended.catch(failed);
    });
  });
  afterEach(async () => {
    finish();
    await ended;
  });
  return opened;
}

async function withServer(
  { root, folder, env }: Place,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const config = loadConfig({
    flags: { root },
    env,
    home: folder,
    cwd: folder,
    knownToolsets: TOOLSETS,
    readFile: readTextIfPresent,
    realPath: resolveRealPath,
  });
  const app = await createApp(config, { staysUp: true });
  app.start();
  const { server } = buildServer({ app: () => app, toolsets: config.toolsets });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const send = here.send.bind(here);
  // As with a pipe: a call comes in a later turn of the event loop than what the test did before it.
  here.send = async (message, options) => {
    await setImmediate();
    await send(message, options);
  };
  await server.connect(there);
  await withServerAt(here, work).finally(() => app.close());
}
