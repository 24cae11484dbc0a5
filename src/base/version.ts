/**
 * The version in `package.json`, which is two folders above this file in `src` and in `dist`. In the bundles
 * the build puts it in place of this module (`rolldown.config.js`), so that a start reads one file less.
 */
import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('../../package.json') as { version: string };

export const VERSION = manifest.version;
