/**
 * Finds the project of a folder: its git repository, or the name in a `.daybook-project` file. It reads the
 * files of the repository and never starts git. In worktrees and submodules, `.git` is a file with the path
 * of the git folder. The folder of a worktree names its main working tree only if that repository names this
 * worktree too, so that a downloaded folder cannot pass for a part of another project.
 */
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf, isAppError } from '../../base/errors.js';
import { ignoreErrno } from '../file-errors.js';
import { readGivenText } from '../safe-access/given-file.js';
import { resolveRealPath } from '../safe-access/real-path.js';

export interface GitProject {
  /** The top folder of the working tree. */
  readonly folder: string;
  /** The top folder of the repository's main working tree, if `folder` is another worktree of it. */
  readonly main?: string;
  /** The URL of the remote `origin`, or of the first remote if there is no `origin`, as it is in the file. */
  readonly remote?: string;
}

/** A git configuration has a few kilobytes. Larger files are not read. */
const MAX_BYTES = 1024 * 1024;
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'];

/** Returns the nearest repository at or above `path`, which need not exist; `undefined` if there is none. */
export async function findGitProject(path: string): Promise<GitProject | undefined> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const { config, main } = (await repositoryAt(folder)) ?? {};
    if (config !== undefined) {
      const remote = remoteIn(config);
      return {
        folder,
        ...(main !== undefined && { main }),
        ...(remote !== undefined && { remote }),
      };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** The name of the file that contains the project's name, in the top folder of the project. */
export const PROJECT_FILE = '.daybook-project';

export interface NamedProject {
  readonly folder: string;
  /** The first line of the file. It is not validated. */
  readonly name: string;
}

/** Returns the nearest folder, at or above `path` and below `end`, that has a `.daybook-project` file. */
export async function findNamedProject(
  path: string,
  end: string,
): Promise<NamedProject | undefined> {
  for (let folder = resolve(path); folder !== end; folder = dirname(folder)) {
    const text = await textOf(join(folder, PROJECT_FILE));
    if (text !== undefined) return { folder, name: (text.split('\n', 1)[0] ?? '').trim() };
    if (dirname(folder) === folder) return undefined;
  }
  return undefined;
}

interface Repository {
  /** The text of the git configuration; `undefined` if it cannot be read. */
  readonly config: string | undefined;
  readonly main?: string | undefined;
}

/** Returns `undefined` if `folder` is not the top folder of a working tree. */
async function repositoryAt(folder: string): Promise<Repository | undefined> {
  const git = join(folder, '.git');
  const found = await ignoreErrno(UNREADABLE, lstat(git));
  if (found === undefined) return undefined;
  if (found.isDirectory()) return { config: await textOf(join(git, 'config')) };
  const named = /^gitdir: (.+?)\r?\n?$/.exec((await textOf(git)) ?? '')?.[1];
  if (named === undefined) return undefined;
  const own = resolve(folder, named);
  const common = (await textOf(join(own, 'commondir')))?.trim();
  if (common === undefined) return { config: await textOf(join(own, 'config')) };
  const shared = resolve(own, common);
  return { config: await textOf(join(shared, 'config')), main: await mainOf(git, own, shared) };
}

/** `own` is the git folder of the worktree with the file `git`; `shared` is that of its repository. */
async function mainOf(git: string, own: string, shared: string): Promise<string | undefined> {
  const back = (await textOf(join(shared, 'worktrees', basename(own), 'gitdir')))?.trim();
  const isNamed =
    back !== undefined && resolveRealPath(resolve(own, back)) === resolveRealPath(git);
  // The repository of a submodule, and one without a working tree, have another name.
  return isNamed && basename(shared) === '.git' ? dirname(shared) : undefined;
}

/** Reads only a regular file of at most 1 MB, because a foreign repository can contain links and devices. */
async function textOf(path: string): Promise<string | undefined> {
  const found = await ignoreErrno(UNREADABLE, lstat(path));
  if (found === undefined || !found.isFile() || found.size > MAX_BYTES) return undefined;
  try {
    return readGivenText(path);
  } catch (error) {
    // We have no permission, or the file was replaced since the check.
    if (isAppError(error) || UNREADABLE.includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function remoteIn(config: string): string | undefined {
  const remotes = new Map<string, string>();
  let name: string | undefined;
  for (const line of config.split('\n')) {
    if (/^\s*\[/.test(line)) name = /^\s*\[\s*remote\s+"([^"]*)"\s*\]/i.exec(line)?.[1];
    const url = /^url\s*=\s*"?([^"\s][^"]*)"?$/i.exec(line.trim())?.[1];
    if (name !== undefined && url !== undefined && !remotes.has(name)) remotes.set(name, url);
  }
  return remotes.get('origin') ?? remotes.values().next().value;
}
