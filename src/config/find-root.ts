/**
 * Which folder is the root: the one that a flag, the environment or the settings file names; else
 * the nearest registered folder that contains the working folder; else `~/.daybook`.
 */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../base/errors.js';
import type { ConfigSources } from './config-sources.js';
import type { FoundSettings } from './find-settings.js';
import { expandPath } from './given-path.js';
import { parseJson } from './settings-file.js';

export type RootSource = 'flag' | 'environment' | 'file' | 'registered' | 'home';

export interface Root {
  readonly path: string;
  readonly source: RootSource;
  readonly name: string;
}

/** VALIDATION_ERROR where the list of registered folders is unreadable. */
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
  return { path: join(home, '.daybook'), source: 'home', name: 'the home folder' };
}

/** Where `daybook init` records the folders that may be roots. */
export const foldersFile = (folder: string): string => join(folder, 'folders.json');

/** The registered folders in the text of that file; an unreadable text is VALIDATION_ERROR. */
export function parseFolders(content: string | undefined, path: string): readonly string[] {
  if (content === undefined) return [];
  const parsed = z.object({ folders: z.array(z.string()) }).safeParse(parseJson(content, path));
  if (!parsed.success) {
    throw new AppError(
      'VALIDATION_ERROR',
      `${path} must have the form {"folders": ["/absolute/path", …]}.`,
    );
  }
  return parsed.data.folders.filter((folder) => isAbsolute(folder));
}
