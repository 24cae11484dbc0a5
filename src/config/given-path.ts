/** Paths that the user gave in a setting or to a command. */
import { resolve } from 'node:path';
import { AppError } from '../base/errors.js';
import { settingError } from './settings/define-setting.js';

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

/** VALIDATION_ERROR for an empty argument, which would mean the current folder. */
export function assertNotEmpty(argument: string, name: string): void {
  if (argument.trim() !== '') return;
  throw new AppError('VALIDATION_ERROR', `${name} is empty.`, {
    hint: 'Nothing was done. Perhaps a variable in the command is not set.',
  });
}
