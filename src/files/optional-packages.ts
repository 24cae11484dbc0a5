/**
 * Loads packages that are not dependencies of Daybook, because few people need them. A command installs
 * them into the user's cache folder. They are searched there first, then beside Daybook itself.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface OptionalPackages {
  /** Returns `undefined` if the package is absent, or its native part cannot be loaded on this machine. */
  load(name: string): unknown;
  /** The `node_modules` folders where the package may be, the preferred ones first. */
  searchedFolders(name: string): readonly string[];
}

/** `folder`: the folder where the packages are installed; it may be missing. */
export function optionalPackages(folder: string): OptionalPackages {
  const resolvers = [createRequire(join(folder, 'package.json')), createRequire(import.meta.url)];
  return {
    load(name) {
      for (const resolver of resolvers) {
        try {
          return resolver(name);
        } catch {
          // The package is absent here, or is not for this machine.
        }
      }
      return undefined;
    },
    searchedFolders: (name) => resolvers.flatMap((resolver) => resolver.resolve.paths(name) ?? []),
  };
}
