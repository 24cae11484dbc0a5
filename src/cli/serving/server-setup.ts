/** What `serve` and `open` share at their start: opening the stores, and the options of a server. */

import { join } from 'node:path';
import type { App } from '../../app.js';
import type { Log } from '../../base/log.js';
import type { Config } from '../../config/config.js';
import { startFacts } from '../clients/start-command.js';

/** The built page; `dist/page` is beside `dist/cli`. */
export const PAGE_FOLDER = join(import.meta.dirname, '../page');

/** The built document of the views of MCP Apps. */
const VIEWS_FILE = join(import.meta.dirname, '../mcp-app/mcp-app.html');

/** The options that all servers of this process share. */
export function serverOptions({ toolsets, perplexity, views, imports }: Config, log: Log) {
  const { isListed: listsPerplexity } = perplexity;
  const importedPrograms = imports.watched;
  const viewsFile = views ? { viewsFile: VIEWS_FILE } : {};
  return { toolsets, listsPerplexity, importedPrograms, log, ...viewsFile };
}

/** Opens the stores and starts background work. */
export async function openApp(config: Config, log: Log): Promise<App> {
  const { createApp } = await import('../../app.js');
  const app = await createApp(config, { log, staysUp: true });
  if (app.unusedKey !== undefined) log.warn(app.unusedKey);
  app.start();
  return { ...app, facts: { ...app.facts, ...startFacts(config.root) } };
}
