/**
 * Sets the times of empty folders back by an hour, because Daybook leaves younger ones to the process that
 * may use them.
 */
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

export function ageEmptyFolders(folder: string): void {
  const hourAgo = Date.now() / 1000 - 3600;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && readdirSync(path).length === 0) utimesSync(path, hourAgo, hourAgo);
  }
}
