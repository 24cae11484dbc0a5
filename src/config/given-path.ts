/** Paths that the user gave in a setting. */
import { resolve } from 'node:path';
import { settingError } from './define-setting.js';

/** Returns the absolute path for a relative path or one that begins with `~`. */
export function expandPath(path: string, cwd: string, home: string): string {
  const inHome = path === '~' || /^~[/\\]/.test(path);
  return inHome ? resolve(home, path.slice(2)) : resolve(cwd, path);
}

/** VALIDATION_ERROR for a folder in a package cache, which a package manager may delete at any time. */
export function assertKeepsData(path: string, name: string): void {
  const cache = path.split(/[/\\]/).find((part) => part === '_npx' || part === 'node_modules');
  if (cache === undefined) return;
  throw settingError(
    `${name} is in a package cache (${path}), where your data could be deleted. Choose another folder.`,
    { path },
  );
}
