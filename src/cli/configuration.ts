/**
 * Loads the configuration for a command: joins flags, environment and the user's own files.
 */
import { type Config, loadConfig } from '../config/config.js';
import { readTextIfPresent } from '../files/paths/user-files.js';
import { resolveRealPath } from '../files/safe-access/real-path.js';
import { TOOLSETS } from '../tools/define-tool.js';

/** Options given before or after the command, by setting name. */
export type Flags = { readonly [name: string]: string | undefined };

/** The configuration in force here. VALIDATION_ERROR names a wrong value. */
export function configuration(flags: Flags): Config {
  return loadConfig({
    flags,
    cwd: process.cwd(),
    knownToolsets: TOOLSETS,
    readFile: readTextIfPresent,
    realPath: resolveRealPath,
  });
}
