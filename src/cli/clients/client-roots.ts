/** The roots in the settings files of the MCP clients of this machine. */
import { resolve } from 'node:path';
import { isAppError } from '../../base/errors.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';
import { type Client, clientsOf, rootOf } from './clients.js';
import { readEntry } from './entry-files.js';

/** The titles of clients by root. A file that cannot be read is ignored. */
export function rootsOfClients(): ReadonlyMap<string, readonly string[]> {
  const roots = new Map<string, string[]>();
  for (const client of clientsOf()) {
    const root = rootIn(client);
    if (root === undefined) continue;
    roots.set(resolve(root), [...(roots.get(resolve(root)) ?? []), client.title]);
  }
  return roots;
}

function rootIn(client: Client): string | undefined {
  try {
    const entry = readEntry(readTextIfPresent(client.path) ?? '', client);
    return entry && rootOf(entry);
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}
