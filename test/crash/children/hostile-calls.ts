/**
 * A process that runs calls of Daybook on one root after another. The roots contain files that an attacker
 * could have made. The calls run in their own process so that a test can end a call that hangs.
 */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { pino } from 'pino';
import { indexCachePath } from '../../../src/app/cache-paths.js';
import { type App, createApp } from '../../../src/app.js';
import { isAppError } from '../../../src/base/errors.js';
import { type Config, loadConfig } from '../../../src/config/config.js';
import { VectorFiles } from '../../../src/embeddings/vectors/vector-files.js';
import { tryLease } from '../../../src/files/locks/lease.js';
import { readTextIfPresent } from '../../../src/files/safe-access/given-file.js';
import { resolveRealPath } from '../../../src/files/safe-access/real-path.js';
import { ImportedFiles } from '../../../src/import/tool-logs/imported-files.js';
import { buildServer } from '../../../src/server/mcp/build-server.js';
import { TOOLSETS } from '../../../src/tools/index.js';
import { commands, say } from './lines.js';

export interface HostileTask {
  root: string;
  /** The home folder of the user, which contains the settings and the caches. */
  home: string;
  /** Each call is the name of a tool or of one of the steps below, with its arguments. */
  calls: readonly (readonly [string, Record<string, unknown>])[];
}

export interface HostileAnswer {
  /** The answer of each call, in order. */
  answers: string[];
  /** Everything that was logged, also while the App closed. */
  log: string;
}

/** Steps that no tool makes, or that the server makes only in the background. */
const STEPS: Record<
  string,
  (app: App, config: Config, given: string, log: pino.Logger) => Promise<unknown>
> = {
  start: async (app) => app.start(),
  build: (app) => app.search.built(),
  merged: (app) => app.conversations.trashed(),
  restore: (app, _, name) => app.conversations.restore(name),
  restoreNote: (app, _, name) => app.memoryBank.restore(name),
  restoreInsight: (app, _, name) => app.insights.restore(name),
  archive: async ({ archives }) => archives.archive(await archives.choose({ olderThanDays: 1 })),
  unarchive: (app, _, name) => app.archives.restore(name),
  archived: (app) => app.archives.unpacked((_, problems) => Promise.resolve(problems.map(textOf))),
  versions: async ({ conversations: { history } }, _, name) => {
    const { versions } = await history.list(name);
    const [newest] = versions;
    return newest && history.read(name, newest.number);
  },
  lease: async (_, { root }, name) => {
    const lease = await tryLease(join(root, name));
    await lease?.release();
    return lease === undefined ? 'held' : 'leased';
  },
  vectors: async (_, { cacheFolder }) => {
    const files = new VectorFiles(join(cacheFolder, 'vectors', 'model'), 'model');
    const kinds: string[] = [];
    for await (const file of files.readNewFiles()) kinds.push(typeof file);
    const key = 'ab'.repeat(16);
    await files.write([{ key, scale: 1, values: new Int8Array(8) }]);
    await files.mergeSmallFiles(async () => new Set([key]));
    return kinds;
  },
  importedLogs: async ({ conversations }, config, _, log) => {
    const path = indexCachePath(config, 'imports');
    if (path === undefined) return undefined;
    const settings = { ...config.imports, watched: ['claude-code'] } as const;
    const files = new ImportedFiles({ path, conversations, settings, log });
    await files.save(new Map([['session.jsonl', '1']]));
    return (await files.load()).size;
  },
};

for await (const { root, home, calls } of commands<HostileTask>()) {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  const config = loadConfig({
    flags: { root },
    env: { DAYBOOK_FSYNC: '0', DAYBOOK_TOOLSETS: 'all', DAYBOOK_BACKUP: 'daily' },
    home,
    cwd: home,
    platform: 'linux' as const,
    knownToolsets: TOOLSETS,
    readFile: readTextIfPresent,
    realPath: resolveRealPath,
  });
  say({ answers: await answersOf(config, log, calls), log: lines.join('\n') });
}

async function answersOf(
  config: Config,
  log: pino.Logger,
  calls: HostileTask['calls'],
): Promise<string[]> {
  const answers: string[] = [];
  let app: App;
  try {
    app = await createApp(config, { log });
  } catch (error) {
    return [textOf(error)];
  }
  const { server } = buildServer({ app: () => app, toolsets: config.toolsets });
  const client = new Client({ name: 'test', version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  for (const [name, args] of calls) {
    const step = STEPS[name];
    const answer = step
      ? step(app, config, String(args['of']), log).catch(textOf)
      : client.callTool({ name, arguments: args });
    answers.push(JSON.stringify((await answer) ?? null));
  }
  await client.close();
  await app.close();
  return answers;
}

function textOf(error: unknown): string {
  return isAppError(error) ? `${error.code}: ${error.message}` : `INTERNAL: ${String(error)}`;
}
