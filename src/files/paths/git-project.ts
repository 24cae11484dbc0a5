/**
 * The project around a folder: its git repository, or what a file of Daybook's names it. The repository is
 * read from its files; git itself is never started. Knows folders
 * with `.git`, worktrees and submodules, whose `.git` is a file that names the folder.
 */
import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errnoOf, isAppError } from '../../base/errors.js';
import { ignoreErrno } from '../read/file-errors.js';
import { readGivenText } from '../safe-access/given-file.js';

export interface GitProject {
  /** Top folder of the working tree. */
  readonly folder: string;
  /** The address of `origin`, else of the first remote; as it is in the file. */
  readonly remote?: string;
}

/** A configuration is a few kilobytes; anything much longer is something else. */
const MAX_BYTES = 1024 * 1024;
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'];

/** The nearest around `path`, which need not exist; `undefined` where there is none. */
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

/** The file that names the project in whose folder it lies. */
export const PROJECT_FILE = '.daybook-project';

export interface NamedProject {
  readonly folder: string;
  /** The first line of its file, unchecked. */
  readonly name: string;
}

/** The nearest folder, at or above `path` and below `end`, that has such a file. */
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

/** The text of the repository's configuration where `folder` is the top of a working tree. */
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

/** Only a plain file of that length is read: a repository can hold links and devices. */
async function textOf(path: string): Promise<string | undefined> {
  const found = await ignoreErrno(UNREADABLE, lstat(path));
  if (found === undefined || !found.isFile() || found.size > MAX_BYTES) return undefined;
  try {
    return readGivenText(path);
  } catch (error) {
    // Closed to us, or another file since.
    if (isAppError(error) || UNREADABLE.includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function remoteIn(config: string): string | undefined {
  const remotes = new Map<string, string>();
  let name: string | undefined;
  for (const line of config.split('\n')) {
    if (/^\s*\[/.test(line)) name = /^\s*\[\s*remote\s+"([^"]*)"\s*\]/i.exec(line)?.[1];
    const url = /^\s*url\s*=\s*"?([^"\r]+?)"?\s*$/i.exec(line)?.[1];
    if (name !== undefined && url !== undefined && !remotes.has(name)) remotes.set(name, url);
  }
  return remotes.get('origin') ?? remotes.values().next().value;
}
