/** Whether a folder belongs to one of the folders that the user excluded (`importExclude`). */
import { isAbsolute, join, relative } from 'node:path';
import { findGitProject } from './find-project.js';
import { isInside } from './path-confinement.js';

/**
 * True for these folders and all below them, also in a worktree elsewhere of a repository there, as long as that
 * worktree exists. False for a path of another system.
 */
export async function isExcluded(folder: string, excluded: readonly string[]): Promise<boolean> {
  if (excluded.length === 0 || !isAbsolute(folder)) return false;
  const isInOne = (path: string) => excluded.some((each) => isInside(path, each));
  if (isInOne(folder)) return true;
  const project = await findGitProject(folder);
  if (project?.main === undefined) return false;
  return isInOne(join(project.main, relative(project.folder, folder)));
}
