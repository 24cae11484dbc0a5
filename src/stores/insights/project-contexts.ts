/**
 * Which project (context) the insights of a call belong to: the context that the caller gave, otherwise that
 * of the working folder. The context of a folder is its git remote; without one, the name in its
 * `.daybook-project` file; without both, its path.
 */

import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { AppError } from '../../base/errors.js';
import { shortened } from '../../base/text/display-text.js';
import {
  findGitProject,
  findNamedProject,
  type NamedProject,
  PROJECT_FILE,
} from '../../files/paths/find-project.js';
import { isFolder } from '../../files/paths/folders.js';
import { gitContextOf } from './git-context.js';
import type { InsightStore } from './insights.js';
import { projectContextOf } from './project-name.js';
import { GLOBAL_CONTEXT, normalContext } from './schema.js';

/** The contexts that a call reads and writes. */
export interface Contexts {
  /** The context of new insights. */
  readonly context: string;
  /** Other contexts of the same project, which are read too. */
  readonly alsoIn: readonly string[];
}

interface Caller {
  /** True for a call over HTTP: its files and folders are on another machine. */
  readonly isRemote: boolean;
}

/**
 * Finds the contexts of a call (decision 0023). A remote caller must give a context, because the working
 * folder of this process is not the caller's, and exactly that context is used. A local path means its
 * git repository. The working folder outside a repository means the nearest folder above it that has
 * insights. Throws VALIDATION_ERROR.
 */
export async function contextsOf(
  given: string | undefined,
  { isRemote }: Caller,
  store: InsightStore,
): Promise<Contexts> {
  if (isRemote || given !== undefined) {
    const context = await requireContext(given, isRemote);
    const isPath = context !== GLOBAL_CONTEXT && !/^(git|project):/.test(context);
    if (isRemote || !isPath) return { context, alsoIn: [] };
    return (await contextsOfProject(context, store)) ?? { context, alsoIn: [] };
  }
  const here = await requireContext(process.cwd(), false);
  const project = await contextsOfProject(here, store);
  return project ?? { context: await nearestContext(here, store), alsoIn: [] };
}

/**
 * `alsoIn` has paths inside the project, because earlier versions saved insights under the working
 * folder. The file with the name of a project is used only without a git remote: otherwise a cloned
 * repository could choose the insights of another project.
 */
async function contextsOfProject(path: string, store: InsightStore): Promise<Contexts | undefined> {
  const found = await findGitProject(path);
  // A home folder in git contains all projects, so it is not the project of a folder inside it.
  const project = found?.folder === homedir() && path !== homedir() ? undefined : found;
  const remote = project?.remote && gitContextOf(project.remote);
  const named = remote ? undefined : await findNamedProject(path, homedir());
  const place = named?.folder ?? project?.folder;
  if (place === undefined) return undefined;
  const main = project?.main === homedir() ? place : (project?.main ?? place);
  // Otherwise the insights of a worktree would be lost with it.
  const context =
    named === undefined ? (remote ?? normalContext(main) ?? main) : contextOfName(named);
  const folders = [place, main].map((each) => normalContext(each) ?? each);
  const isInside = (each: string) =>
    folders.some((folder) => each === folder || each.startsWith(`${folder}${sep}`));
  const known = [...(await store.contexts()).keys()];
  return { context, alsoIn: known.filter((each) => each !== context && isInside(each)) };
}

function contextOfName({ folder, name }: NamedProject): string {
  const context = projectContextOf(name);
  if (context !== undefined) return context;
  throw new AppError(
    'VALIDATION_ERROR',
    `${join(folder, PROJECT_FILE)} does not contain the name of a project.`,
    {
      hint: 'Write the name on the first line of the file: a letter or a digit, then letters, digits, ".", "_" and "-", such as garden.',
    },
  );
}

/** The search stops below the home folder, because that contains all projects. */
async function nearestContext(path: string, store: InsightStore): Promise<string> {
  const known = await store.contexts();
  const home = homedir();
  for (let at = path; at !== home && dirname(at) !== at; at = dirname(at)) {
    if (known.has(at)) return at;
  }
  return path;
}

async function requireContext(given: string | undefined, isRemote: boolean): Promise<string> {
  if (given === undefined) {
    throw new AppError('VALIDATION_ERROR', '`context` is required over HTTP.', {
      hint: 'Give the absolute path of the project, "git:host/owner/repository", "project:name", or "global".',
      details: { field: 'context' },
    });
  }
  const isGit = /^git:/i.test(given);
  const context = normalContext(given) ?? (isGit ? gitContextOf(given.slice(4).trim()) : undefined);
  if (context !== undefined) return context;
  if (!isRemote && !isGit && !/^project:/i.test(given) && !given.includes('\0')) {
    const path = expandPath(given);
    // Otherwise the name of a project would become a folder below the folder in which the server started.
    if (!/^~([/\\]|$)/.test(given) && !(await isFolder(path))) throw noFolder(given);
    return normalContext(path) ?? path;
  }
  throw new AppError(
    'VALIDATION_ERROR',
    '`context` must be the absolute path of a project, "git:host/owner/repository", "project:name", or "global".',
    { details: { field: 'context' } },
  );
}

function noFolder(given: string): AppError {
  const name = projectContextOf(given.trim());
  const example = name === undefined ? '"project:name"' : `"${name}"`;
  return new AppError(
    'VALIDATION_ERROR',
    `There is no folder ${JSON.stringify(shortened(given))} here.`,
    {
      hint: `For a project with this name, give ${example}. For a folder, give its absolute path.`,
      details: { field: 'context' },
    },
  );
}

/** Expands `~` and resolves a relative path, for local callers only. */
const expandPath = (path: string) => resolve(path.replace(/^~(?=$|[/\\])/, homedir()));
