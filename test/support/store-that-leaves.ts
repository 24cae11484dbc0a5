/** A store in this process with real files, whose folder a test can move away and back: `withStore`. */
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { createLog } from '../../src/base/log.js';
import { loadConfig } from '../../src/config/config.js';
import { TOOLSETS } from '../../src/tools/define-tool.js';
import { withPlace } from '../e2e/harness.js';

export interface StoreThatLeaves {
  readonly app: App;
  /** The present absolute path of a file of the store. */
  file(name: string): string;
  /** The text of a file of the store. */
  text(name: string): string;
  /** Opens the same store as another server would, while it is there. */
  another(): Promise<App>;
  leave(): void;
  /** After `leave`: what another server does in the store, which is there for that server. */
  meanwhile(work: (other: App) => Promise<unknown>): Promise<void>;
  /** Resolves when all writes are done. */
  comeBack(): Promise<void>;
}

/** Creates one conversation, `plan`, with the message `before`. */
export async function withStore(work: (store: StoreThatLeaves) => Promise<void>): Promise<void> {
  await withPlace(async ({ root, folder, env }) => {
    const given = { env, home: folder, cwd: folder, knownToolsets: TOOLSETS };
    const apps: App[] = [];
    const open = (at: string) => {
      const config = loadConfig({ ...given, flags: { root: at }, readFile: () => undefined });
      return createApp(config, { staysUp: true, log: createLog('silent') });
    };
    const another = async () => {
      const opened = await open(root);
      apps.push(opened);
      return opened;
    };
    const app = await another();
    const gone = join(folder, 'gone');
    let at = root;
    const move = (to: string) => {
      renameSync(at, to);
      at = to;
    };
    const file = (name: string) => join(at, name);
    try {
      await app.conversations.append('plan', [{ role: 'user', content: 'before' }], {
        create: true,
      });
      await work({
        app,
        another,
        file,
        text: (name) => readFileSync(file(name), 'utf8'),
        leave: () => move(gone),
        async meanwhile(act) {
          const other = await open(at);
          await act(other).finally(() => other.close());
        },
        async comeBack() {
          move(root);
          const settled = await Promise.all(apps.map((each) => each.deferredWrites.settle()));
          expect(settled).not.toContain(false);
        },
      });
    } finally {
      await Promise.all(apps.map((each) => each.close()));
    }
  });
}
