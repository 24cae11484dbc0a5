/**
 * The compiled code of the command is cached in the user's cache folder, so that the next start does not
 * compile it again. Node can do this from 22.1 on; `NODE_DISABLE_COMPILE_CACHE=1` switches it off. Whoever can
 * write into the folder can run code as the user. The default folder of Node is in the system's folder for
 * temporary files, where others could write, and Node makes folders with the modes that the umask leaves.
 */
import module from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../config/user-folders.js';
import { makePrivateFolder } from '../files/private-folder.js';
import { OTHERS } from '../files/private-modes.js';

/** The types of Node 20 do not have it. */
interface WithCompileCache {
  enableCompileCache?(folder: string): unknown;
}

/** Only modules that are imported afterwards are cached. Does nothing if the folder cannot be made private. */
export function useCompileCache(): void {
  const { enableCompileCache } = module as WithCompileCache;
  const folder = join(cacheFolder({}), 'code');
  if (enableCompileCache === undefined || !makePrivateFolder(folder)) return;
  // Node makes a folder inside, and doctor reports one that others could open.
  const umask = process.umask(OTHERS);
  enableCompileCache(folder);
  process.umask(umask);
}
