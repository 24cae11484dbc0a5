/** The version in `package.json`, which is two folders above this file in `src` and in `dist`. */
import { createRequire } from 'node:module';
import { z } from 'zod';

const manifest: unknown = createRequire(import.meta.url)('../../package.json');

export const VERSION = z.object({ version: z.string() }).parse(manifest).version;
