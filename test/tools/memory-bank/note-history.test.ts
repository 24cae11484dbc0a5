/** The git history of notes, with real git, and with repositories whose settings name programs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();
const call = (name: string, args?: Record<string, unknown>) => opened.session.call(name, args);
const codeOf = async (args: Record<string, unknown>) =>
  (await opened.session.failure('mb_history', args)).code;
const bank = () => join(opened.place.root, 'memory-bank');
const put = (path: string, content: string) => {
  mkdirSync(dirname(join(bank(), path)), { recursive: true });
  writeFileSync(join(bank(), path), content);
};

function git(...args: string[]): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...who, ...args], { cwd: bank(), env, encoding: 'utf8' });
}

function commit(subject: string): void {
  git('add', '--all');
  git('commit', '--quiet', '--no-verify', '-m', subject);
}

interface Listed {
  total: number;
  explanation?: string;
  commits: { commit: string; at: string; author: string; subject: string }[];
}
const history = async (path: string, more = {}) =>
  (await call('mb_history', { path, ...more })) as unknown as Listed;

it('the history of a note is empty without a repository and without a commit', async () => {
  put('bees.md', 'one\n');
  const { explanation, ...none } = await history('bees.md');
  expect(none).toMatchObject({ total: 0, commits: [] });
  expect(explanation).toBe(
    `There is no git repository in or above ${bank()}. The history of notes comes from git: run git init in that folder, then commit the notes.`,
  );
  git('init', '--quiet');
  expect(await history('bees.md')).toMatchObject({
    ...none,
    explanation: `No commit in the git repository ${bank()} has the note bees.md. To start its history, add it with git add and commit it.`,
  });
  expect(await history('beees.md')).toMatchObject({
    explanation: `There is no note beees.md, and no commit in the git repository ${bank()} has one.`,
  });
  expect(await codeOf({ path: 'bees.md', commit: 'a'.repeat(40) })).toBe('E_MB_FILE_NOT_FOUND');
});

it('the history has the commits under every name of the note, and its text at each', async () => {
  put('bees.md', 'one\nand so on\nand so on\n');
  git('init', '--quiet');
  commit('Begin');
  git('mv', 'bees.md', 'wasps [1].md');
  put('other.md', 'not of it\n');
  commit('Rename');
  put('wasps [1].md', 'two\nand so on\nand so on\n');
  commit('Say "two" \u0002');
  const { total, commits } = await history('wasps [1].md');
  expect(total).toBe(3);
  expect(commits.map(({ subject }) => subject)).toEqual(['Say "two" \u0002', 'Rename', 'Begin']);
  expect(commits[0]).toMatchObject({ author: 'Ada', at: expect.stringMatching(/^\d{4}-/) });
  const textAt = async (at: number) =>
    (await call('mb_history', { path: 'wasps [1].md', commit: commits[at]?.commit }))['content'];
  expect(await textAt(0)).toMatch(/^two\n/);
  expect(await textAt(2)).toMatch(/^one\n/);
  const short = commits[2]?.commit.slice(0, 7);
  expect((await call('mb_history', { path: 'wasps [1].md', commit: short }))['content']).toMatch(
    /^one\n/,
  );
  expect((await history('wasps [1].md', { limit: 1 })).commits).toHaveLength(1);
  // Only commits that changed this note, and no other object or branch.
  for (const other of ['HEAD', '--help', git('rev-parse', 'HEAD^{tree}').trim()]) {
    expect(await codeOf({ path: 'wasps [1].md', commit: other })).toBe('E_MB_FILE_NOT_FOUND');
  }
  expect(await codeOf({ path: '../x.md' })).toBe('PATH_ESCAPE');
  expect(await codeOf({ path: '.git/config' })).toBe('PATH_ESCAPE');
});

it('the history starts no program from the settings of the repository', async () => {
  put('bees.md', 'one\n');
  put('.gitattributes', '*.md diff=evil filter=evil\n');
  git('init', '--quiet');
  commit('Begin');
  put('bees.md', 'two\n');
  commit('Go on');
  const { commits } = await history('bees.md');
  const trace = join(opened.place.root, 'ran');
  const program = join(opened.place.root, 'evil.sh');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${trace}'\ncat 2>/dev/null\n`, {
    mode: 0o755,
  });
  for (const name of [
    ...['core.fsmonitor', 'core.pager', 'pager.log', 'diff.external', 'diff.evil.command'],
    ...['diff.evil.textconv', 'filter.evil.smudge', 'filter.evil.clean', 'core.sshCommand'],
    ...['gpg.program', 'core.editor', 'core.askPass', 'credential.helper', 'alias.log'],
    ...['core.alternateRefsCommand'],
  ]) {
    git('config', name, program);
  }
  git('config', 'log.showSignature', 'true');
  git('config', 'extensions.partialClone', 'origin');
  git('config', 'remote.origin.url', `ext::${program}`);
  git('config', 'protocol.ext.allow', 'always');
  // The program exists and runs if git is not told otherwise.
  git('diff', 'HEAD~1', 'HEAD', '--', 'bees.md');
  expect(existsSync(trace)).toBe(true);
  writeFileSync(trace, '');
  expect((await history('bees.md')).total).toBe(2);
  const [newest] = commits;
  const text = await call('mb_history', { path: 'bees.md', commit: newest?.commit });
  expect(text['content']).toMatch(/^two/);
  expect(readFileSync(trace, 'utf8')).toBe('');
});

it('lists the commits of a note whose name has another Unicode form', async () => {
  put('cafe\u0301.md', 'of another system\n');
  git('init', '--quiet');
  commit('a cafe');
  const { commits } = await history('caf\u00e9.md');
  expect(commits.map(({ subject }) => subject)).toEqual(['a cafe']);
});
