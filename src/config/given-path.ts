/** Paths that the user gave in a setting. */
import { resolve } from 'node:path';
import { AppError } from '../base/errors.js';

/** `~` and relative paths made absolute. */
export function expandPath(path: string, cwd: string, home: string): string {
  const inHome = path === '~' || /^~[/\\]/.test(path);
  return inHome ? resolve(home, path.slice(2)) : resolve(cwd, path);
}

/** Refuses a folder that a package manager may wipe at any time. VALIDATION_ERROR. */
export function assertKeepsData(path: string, name: string): void {
  const cache = path.split(/[/\\]/).find((part) => part === '_npx' || part === 'node_modules');
  if (cache === undefined) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `${name} is in a package cache (${path}), where your data could be deleted. Choose another folder.`,
  );
}
