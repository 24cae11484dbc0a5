/** The roots in the settings files of the MCP clients of this machine. */
import { resolve } from 'node:path';
import { clientsOf, rootOf } from './clients.js';
import { storedEntry } from './entry-files.js';

/** The titles of clients by root. A file that cannot be read is ignored. */
export function rootsOfClients(): ReadonlyMap<string, readonly string[]> {
  const roots = new Map<string, string[]>();
  for (const client of clientsOf()) {
    const entry = storedEntry(client);
    const root = entry && rootOf(entry);
    if (root === undefined) continue;
    roots.set(resolve(root), [...(roots.get(resolve(root)) ?? []), client.title]);
  }
  return roots;
}
