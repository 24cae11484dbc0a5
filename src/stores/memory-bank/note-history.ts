/**
 * The history of a note in git: the commits that changed it, under its earlier names too, and its text at one
 * of them. Git only reads here. The settings of a repository can name programs that git starts, so each
 * of these ways is closed: no hooks, monitors, pagers, external diffs, filters, signatures or transports.
 */
import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { AppError } from '../../base/errors.js';
import { findConfined } from '../../files/paths/confined-file.js';
import { findGitProject } from '../../files/paths/git-project.js';
import { openFile } from '../../files/sealing/sealed-form.js';
import { requireNotePath } from './note-path.js';

const MAX_COMMITS = 1000;
const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** Begins each commit in the output of `git log`; fields end with a NUL. */
const COMMIT_START = '\u0001';
const COMMIT = /^[0-9a-f]{40,64}$/;

const SAFE_SETTINGS = [
  ...['core.fsmonitor=false', `core.hooksPath=${devNull}`, 'core.pager=cat', 'diff.external='],
  ...['log.showSignature=false', 'protocol.allow=never', 'safe.bareRepository=explicit'],
].flatMap((setting) => ['-c', setting]);

export interface NoteHistoryOptions {
  /** Absolute path of the memory bank. */
  readonly folder: string;
  /** The value of an environment variable, by which the system finds programs. */
  variable(name: string): string | undefined;
}

export interface NoteCommit {
  /** The hash of the commit. */
  readonly commit: string;
  /** ISO 8601, with the zone of the author. */
  readonly at: string;
  readonly author: string;
  /** The first line of what the author wrote. */
  readonly subject: string;
}

interface CommitWithPath extends NoteCommit {
  /** Of the note at that commit, from the top of the repository. */
  readonly path: string;
}

export class NoteHistory {
  readonly #options: NoteHistoryOptions;

  constructor(options: NoteHistoryOptions) {
    this.#options = options;
  }

  /**
   * The newest first, at most 1000. Empty without git, a repository or a commit. PATH_ESCAPE,
   * VALIDATION_ERROR.
   */
  async commits(path: string): Promise<NoteCommit[]> {
    const found = await this.#log(path);
    return found.map(({ path: _, ...commit }) => commit);
  }

  /** Why `commits` is empty, and what begins a history. */
  async whyEmpty(path: string): Promise<string> {
    const { folder } = this.#options;
    if ((await this.#git(['--version'])) === undefined) {
      return 'The program git was not found. The history of notes comes from git.';
    }
    const project = await findGitProject(folder);
    if (project === undefined) {
      return `There is no git repository in or above ${folder}. The history of notes comes from git: run git init in that folder, then commit the notes.`;
    }
    if ((await this.#git(['rev-parse', '--git-dir'])) === undefined) {
      return `Git cannot read the repository ${project.folder}. To see the reason, run git -C ${project.folder} status.`;
    }
    return `No commit in the git repository ${project.folder} has the note ${path}. To start its history, add it with git add and commit it.`;
  }

  /** The text at one of these commits. E_MB_FILE_NOT_FOUND, E_MB_READ, DECRYPT, and like `commits`. */
  async textAt(path: string, commit: string): Promise<string> {
    const found = (await this.#log(path)).find((each) => each.commit === commit);
    const bytes = found && (await this.#git(['cat-file', 'blob', `${commit}:${found.path}`]));
    if (bytes === undefined) {
      throw new AppError('E_MB_FILE_NOT_FOUND', `Git has no text of ${path} for this commit.`, {
        hint: 'Give a commit that `mb_history` lists for this note.',
        details: { path, commit },
      });
    }
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(openFile(bytes, path));
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw new AppError('E_MB_READ', `${path} was not UTF-8 text at this commit.`, { cause });
    }
  }

  async #log(path: string): Promise<CommitWithPath[]> {
    requireNotePath(path);
    await findConfined(this.#options.folder, path); // of a note that is gone there is a history too
    const output = await this.#git([
      ...['log', '--follow', '-z', '--name-only', `--max-count=${MAX_COMMITS}`],
      ...['--no-ext-diff', '--no-textconv', '--no-show-signature', '--no-mailmap', '--no-color'],
      ...[`--format=${COMMIT_START}%H%x00%aI%x00%an%x00%s%x00`, '--', path],
    ]);
    return (output?.toString() ?? '').split(COMMIT_START).flatMap((record) => {
      const [commit = '', at = '', author = '', subject = '', ...names] = record.split('\0');
      const name = names.map((each) => each.replace(/^\n/, '')).find((each) => each !== '');
      return COMMIT.test(commit) && name !== undefined
        ? [{ commit, at, author, subject, path: name }]
        : [];
    });
  }

  /** `undefined` if git is not there, or refuses. */
  #git(args: readonly string[]): Promise<Buffer | undefined> {
    const { folder, variable } = this.#options;
    const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true };
    const all = ['--no-pager', '-C', folder, ...SAFE_SETTINGS, ...args];
    return new Promise((done) => {
      const env = safeEnvironment(variable);
      execFile('git', all, { ...options, env, encoding: 'buffer' }, (error, output) =>
        done(error === null ? output : undefined),
      );
    });
  }
}

/** Nothing of the user's own: variables and files of git can name programs as well. */
function safeEnvironment(variable: NoteHistoryOptions['variable']): Record<string, string> {
  const finding = ['PATH', 'SystemRoot'].flatMap((name) => {
    const value = variable(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(finding),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    NoDefaultCurrentDirectoryInExePath: '1',
    LC_ALL: 'C',
  };
}
