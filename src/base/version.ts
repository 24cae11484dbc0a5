/**
 * The version of this package, read from `package.json` so that it is written down once.
 * Both `src/base` and `dist/base` lie two folders below it.
 */
import { createRequire } from 'node:module';
import { z } from 'zod';

const manifest: unknown = createRequire(import.meta.url)('../../package.json');

export const VERSION = z.object({ version: z.string() }).parse(manifest).version;
