/** Loads the configuration for a command from flags, environment and the user's configuration files. */
import { type Config, loadConfig } from '../../config/config.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';
import { resolveRealPath } from '../../files/safe-access/real-path.js';
import { TOOLSETS } from '../../tools/define-tool.js';

/** Values of global options, by name of the setting. */
export type Flags = { readonly [name: string]: string | undefined };

/** The effective configuration. Throws VALIDATION_ERROR with the name of a wrong setting. */
export function configuration(flags: Flags): Config {
  return loadConfig({
    flags,
    cwd: process.cwd(),
    knownToolsets: TOOLSETS,
    readFile: readTextIfPresent,
    realPath: resolveRealPath,
  });
}
