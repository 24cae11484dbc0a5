/**
 * The history of a note in git: the commits that changed it, also under its earlier names, and its text at
 * one of them. It only reads. The configuration of a foreign repository can make git start programs, so all
 * these features are disabled: hooks, monitors, pagers, external diffs, filters, signatures and transports.
 */
import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { AppError } from '../../base/errors.js';
import { findConfined } from '../../files/paths/confined-file.js';
import { findGitProject } from '../../files/paths/find-project.js';
import { openFile } from '../../files/sealing/sealed-form.js';
import { storedNotePath } from './note-path.js';

const MAX_COMMITS = 1000;
const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** The start of each commit in the output of `git log`. Fields end with a NUL. */
const COMMIT_START = '\u0001';
const COMMIT = /^[0-9a-f]{40,64}$/;
/** Git itself accepts no shorter ones. */
const SHORT_COMMIT = /^[0-9a-f]{4,64}$/i;

const SAFE_SETTINGS = [
  ...['core.fsmonitor=false', `core.hooksPath=${devNull}`, 'core.pager=cat', 'diff.external='],
  ...['log.showSignature=false', 'protocol.allow=never', 'safe.bareRepository=explicit'],
].flatMap((setting) => ['-c', setting]);

export interface NoteHistoryOptions {
  /** The absolute path of the memory bank. */
  readonly folder: string;
  /** Returns the value of an environment variable, to find the program git. */
  variable(name: string): string | undefined;
}

export interface NoteCommit {
  /** The hash of the commit. */
  readonly commit: string;
  /** ISO 8601, with the time zone of the author. */
  readonly at: string;
  readonly author: string;
  /** The first line of the commit message. */
  readonly subject: string;
}

interface CommitWithPath extends NoteCommit {
  /** The path of the note at that commit, relative to the top folder of the repository. */
  readonly path: string;
}

export class NoteHistory {
  readonly #options: NoteHistoryOptions;

  constructor(options: NoteHistoryOptions) {
    this.#options = options;
  }

  /** At most 1000, newest first; none without git or repository. PATH_ESCAPE, VALIDATION_ERROR. */
  async commits(path: string): Promise<NoteCommit[]> {
    const found = await this.#log(path);
    return found.map(({ path: _, ...commit }) => commit);
  }

  /** Returns a sentence for users: why `commits` is empty, and how to start a history. */
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
    if ((await findConfined(folder, path)).kind === 'absent') {
      return `There is no note ${path}, and no commit in the git repository ${project.folder} has one.`;
    }
    return `No commit in the git repository ${project.folder} has the note ${path}. To start its history, add it with git add and commit it.`;
  }

  /**
   * The text of the note at one of these commits; the beginning of its hash is enough. E_MB_FILE_NOT_FOUND,
   * E_MB_READ, DECRYPT, PATH_ESCAPE, VALIDATION_ERROR.
   */
  async textAt(path: string, commit: string): Promise<string> {
    const all = SHORT_COMMIT.test(commit) ? await this.#log(path) : [];
    const [found, second] = all.filter((each) => each.commit.startsWith(commit.toLowerCase()));
    const isOne = found !== undefined && second === undefined;
    const bytes = isOne
      ? await this.#git(['cat-file', 'blob', `${found.commit}:${found.path}`])
      : undefined;
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

  async #log(given: string): Promise<CommitWithPath[]> {
    const path = await storedNotePath(this.#options.folder, given);
    await findConfined(this.#options.folder, path); // `absent` is allowed: a deleted note has a history too
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

  /** Returns the output of git; `undefined` if git is not installed or fails. */
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

/** Without the user's variables and git configuration, which can also make git start programs. */
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
