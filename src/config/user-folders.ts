/** The folders in which this platform keeps a user's settings and caches. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { ConfigSources } from './config-sources.js';

type Platform = Pick<ConfigSources, 'env' | 'home' | 'platform'>;

/** The user's own configuration folder, by the custom of the platform. Absolute. */
export function configFolder(sources: Platform = {}): string {
  const { env = process.env } = sources;
  const chosen = env['XDG_CONFIG_HOME'];
  if (chosen && isAbsolute(chosen)) return join(chosen, 'daybook');
  return join(programsFolder(sources), 'daybook');
}

/** Where programs of this platform keep their settings, each in a folder of its own. Absolute. */
export function programsFolder(sources: Platform = {}): string {
  const { env = process.env, home = homedir(), platform = process.platform } = sources;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  const chosen = env['XDG_CONFIG_HOME'];
  return chosen && isAbsolute(chosen) ? chosen : join(home, '.config');
}

/** The user's folder for what can be built again, by the custom of the platform. */
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
