import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of the regular files in the folder and below it; links are not followed. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
