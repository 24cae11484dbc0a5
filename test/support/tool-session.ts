/**
 * For test files that only call tools: before each test a server in this process on a root of its own, with
 * the official client connected to it; ended after the test. e2e/inspector.test.ts calls every tool
 * of the built server.
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

/** To be called at the top of a test file; the fields are there while a test runs. */
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
  // As over a pipe: what the test did before a call was in an earlier turn of the event loop.
  here.send = async (message, options) => {
    await setImmediate();
    await send(message, options);
  };
  await server.connect(there);
  await withServerAt(here, work).finally(() => app.close());
}
