/** The folders for the user's settings and caches on each platform. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { ConfigSources } from './settings/find-settings.js';

type Platform = Pick<ConfigSources, 'env' | 'home' | 'platform'>;

/**
 * Returns the absolute path of Daybook's configuration folder of the user, by the convention of the platform.
 */
export function configFolder(sources: Platform = {}): string {
  const { env = process.env } = sources;
  const chosen = env['XDG_CONFIG_HOME'];
  if (chosen && isAbsolute(chosen)) return join(chosen, 'daybook');
  return join(programsFolder(sources), 'daybook');
}

/** Returns the absolute path of the folder in which each program has a folder for its settings. */
export function programsFolder(sources: Platform = {}): string {
  const { env = process.env, home = homedir(), platform = process.platform } = sources;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  const chosen = env['XDG_CONFIG_HOME'];
  return chosen && isAbsolute(chosen) ? chosen : join(home, '.config');
}

/** Returns the path of Daybook's cache folder of the user, by the convention of the platform. */
export function cacheFolder(sources: Platform): string {
  const { env = process.env, home = homedir(), platform = process.platform } = sources;
  const chosen = env['XDG_CACHE_HOME'];
  if (chosen && isAbsolute(chosen)) return join(chosen, 'daybook');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'daybook');
  if (platform === 'win32') {
    return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'daybook', 'Cache');
  }
  return join(home, '.cache', 'daybook');
}
