/** Which roots the MCP clients of this machine were given, as their settings files say now. */
import { resolve } from 'node:path';
import { isAppError } from '../../base/errors.js';
import { readTextIfPresent } from '../../files/paths/user-files.js';
import { clientsOf, rootOf } from './clients.js';
import { readEntry } from './entry-files.js';

/** Titles of clients by the root that their entry names; files that cannot be read are passed over. */
export function rootsOfClients(): ReadonlyMap<string, readonly string[]> {
  const roots = new Map<string, string[]>();
  for (const client of clientsOf()) {
    const root = rootIn(client);
    if (root === undefined) continue;
    roots.set(resolve(root), [...(roots.get(resolve(root)) ?? []), client.title]);
  }
  return roots;
}

function rootIn(client: ReturnType<typeof clientsOf>[number]): string | undefined {
  try {
    const entry = readEntry(readTextIfPresent(client.path) ?? '', client);
    return entry && rootOf(entry);
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}
