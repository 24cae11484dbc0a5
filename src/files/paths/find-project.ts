/**
 * Finds the project of a folder: its git repository, or the name in a `.daybook-project` file. It reads the
 * files of the repository and never starts git. In worktrees and submodules, `.git` is a file with the path
 * of the git folder.
 */
import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errnoOf, isAppError } from '../../base/errors.js';
import { ignoreErrno } from '../file-errors.js';
import { readGivenText } from '../safe-access/given-file.js';

export interface GitProject {
  /** The top folder of the working tree. */
  readonly folder: string;
  /** The URL of the remote `origin`, or of the first remote if there is no `origin`, as it is in the file. */
  readonly remote?: string;
}

/** A git configuration has a few kilobytes. Larger files are not read. */
const MAX_BYTES = 1024 * 1024;
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'];

/** Returns the nearest repository at or above `path`, which need not exist; `undefined` if there is none. */
export async function findGitProject(path: string): Promise<GitProject | undefined> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const config = await configOf(folder);
    if (config !== undefined) {
      const remote = remoteIn(config);
      return { folder, ...(remote !== undefined && { remote }) };
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

/** Returns the text of the git configuration if `folder` is the top folder of a working tree. */
async function configOf(folder: string): Promise<string | undefined> {
  const git = join(folder, '.git');
  const found = await ignoreErrno(UNREADABLE, lstat(git));
  if (found === undefined) return undefined;
  if (found.isDirectory()) return textOf(join(git, 'config'));
  const named = /^gitdir: (.+?)\r?\n?$/.exec((await textOf(git)) ?? '')?.[1];
  if (named === undefined) return undefined;
  const own = resolve(folder, named);
  const common = (await textOf(join(own, 'commondir')))?.trim();
  return textOf(join(common === undefined ? own : resolve(own, common), 'config'));
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
