/**
 * Finds the root: the folder that a flag, the environment or the configuration file names, otherwise the
 * nearest registered folder that contains the working folder, otherwise `~/.daybook`.
 */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../base/errors.js';
import { expandPath } from './given-path.js';
import type { ConfigSources, FoundSettings } from './settings/find-settings.js';
import { FILE_HINT, parseJson } from './settings/settings-file.js';

export type RootSource = 'flag' | 'environment' | 'file' | 'registered' | 'home';

export interface Root {
  readonly path: string;
  readonly source: RootSource;
  readonly name: string;
}

/** VALIDATION_ERROR if the list of registered folders cannot be read. */
export function findRoot(
  chosen: string | undefined,
  found: FoundSettings,
  { cwd, readFile }: ConfigSources,
  { home, folder }: { home: string; folder: string },
): Root {
  if (chosen !== undefined && found.root) {
    const { source, name } = found.root;
    return { path: expandPath(chosen, cwd, home), source, name };
  }
  const file = foldersFile(folder);
  const registered = new Set(parseFolders(readFile(file), file).map((path) => resolve(path)));
  for (let at = resolve(cwd); ; at = dirname(at)) {
    if (registered.has(at)) return { path: at, source: 'registered', name: file };
    if (dirname(at) === at) break;
  }
  return { path: defaultRoot(home), source: 'home', name: 'the home folder' };
}

/** The root if nothing else names one. */
export const defaultRoot = (home: string): string => join(home, '.daybook');

/** Returns the path of the file in which `daybook init` registers the folders that may be roots. */
export const foldersFile = (folder: string): string => join(folder, 'folders.json');

/** Returns the registered folders in the text of that file. VALIDATION_ERROR if the text is not valid. */
export function parseFolders(content: string | undefined, path: string): readonly string[] {
  if (content === undefined) return [];
  const parsed = z.object({ folders: z.array(z.string()) }).safeParse(parseJson(content, path));
  if (!parsed.success) {
    throw new AppError(
      'VALIDATION_ERROR',
      `${path} must have the form {"folders": ["/absolute/path", …]}.`,
      { hint: FILE_HINT },
    );
  }
  return parsed.data.folders.filter((folder) => isAbsolute(folder));
}
