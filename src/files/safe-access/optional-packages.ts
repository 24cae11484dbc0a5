/**
 * Packages that are not dependencies of Daybook, because few people need them: a command installs them
 * into a folder of the user's cache, and they are searched there, then beside Daybook itself.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface OptionalPackages {
  /** Undefined where the package is absent, or its native part cannot be loaded on this machine. */
  load(name: string): unknown;
  /** The `node_modules` folders where the package may be, the preferred ones first. */
  searchedFolders(name: string): readonly string[];
}

/** `folder`: where they are installed; it does not have to exist. */
export function optionalPackages(folder: string): OptionalPackages {
  const resolvers = [createRequire(join(folder, 'package.json')), createRequire(import.meta.url)];
  return {
    load(name) {
      for (const resolver of resolvers) {
        try {
          return resolver(name);
        } catch {
          // not there, or not for this machine
        }
      }
      return undefined;
    },
    searchedFolders: (name) => resolvers.flatMap((resolver) => resolver.resolve.paths(name) ?? []),
  };
}
