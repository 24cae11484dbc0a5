/** The folders for the user's settings and caches on each platform. */
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import type { ConfigSources } from './settings/find-settings.js';

type Platform = Pick<ConfigSources, 'env' | 'home' | 'platform'>;

/**
 * Returns the absolute path of Daybook's configuration folder of the user, by the convention of the platform.
 */
export function configFolder(sources: Platform = {}): string {
  return join(folderIn('XDG_CONFIG_HOME', sources) ?? programsFolder(sources), 'daybook');
}

/** Returns the absolute path of the folder in which each program has a folder for its settings. */
export function programsFolder(sources: Platform = {}): string {
  const { home = homedir(), platform = process.platform } = sources;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return folderIn('APPDATA', sources) ?? join(home, 'AppData', 'Roaming');
  return folderIn('XDG_CONFIG_HOME', sources) ?? join(home, '.config');
}

/** Returns the absolute path of Daybook's cache folder of the user, by the convention of the platform. */
export function cacheFolder(sources: Platform): string {
  const { home = homedir(), platform = process.platform } = sources;
  const chosen = folderIn('XDG_CACHE_HOME', sources);
  if (chosen !== undefined) return join(chosen, 'daybook');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'daybook');
  if (platform !== 'win32') return join(home, '.cache', 'daybook');
  const local = folderIn('LOCALAPPDATA', sources) ?? join(home, 'AppData', 'Local');
  return join(local, 'daybook', 'Cache');
}

/** `undefined` for an empty or a relative path, which would be a folder of the working folder. */
function folderIn(
  variable: string,
  { env = process.env, platform = process.platform }: Platform,
): string | undefined {
  const path = env[variable] ?? '';
  return (platform === 'win32' ? win32 : posix).isAbsolute(path) ? path : undefined;
}
