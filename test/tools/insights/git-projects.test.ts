/** Insights of a project that is a git repository: found from every folder, clone and worktree of it. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findGitProject } from '../../../src/files/paths/find-project.js';
import { gitContextOf } from '../../../src/stores/insights/git-context.js';
import { normalContext } from '../../../src/stores/insights/schema.js';
import { type Place, runCommand, withPlace } from '../../e2e/harness.js';
import { tempFolder } from '../../support/temp-folder.js';

const git = (cwd: string, ...args: string[]) => {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  const { status, stderr } = spawnSync('git', [...own, ...args], { cwd, env });
  expect(status, String(stderr)).toBe(0);
};

describe('the context of a remote', () => {
  it.each([
    'https://github.com/ada/engine.git',
    'https://ada:secret@GitHub.com/ada/engine',
    'ssh://git@github.com:22/ada/engine.git',
    'git@github.com:ada/engine.git',
    'github.com:/ada/engine/',
    'git://github.com/ada/engine.git',
  ])('is the same for all forms of its URL: %s', (remote) => {
    const context = gitContextOf(remote);
    expect(context).toBe('git:github.com/ada/engine');
    expect(normalContext(context ?? '')).toBe(context);
  });

  it.each([
    '/srv/git/engine.git',
    '../engine',
    'C:\\git\\engine',
    'C:/git/engine',
    'file:///srv/x',
    '',
  ])('does not exist for a folder: %s', (remote) => {
    expect(gitContextOf(remote)).toBeUndefined();
  });

  it.each([
    ['GIT:GitHub.com/ada/engine.git', 'git:github.com/ada/engine'],
    ['git:github.com', undefined],
    ['git:github.com/', undefined],
    ['git:/ada', undefined],
    ['git:github.com/a b', undefined],
  ])('has one form: %s', (text, expected) => {
    expect(normalContext(text)).toBe(expected);
  });
});

describe('the repository around a folder', () => {
  it('may have a configuration for which quadratic code would take hours', async () => {
    const top = tempFolder();
    mkdirSync(join(top, '.git'));
    const spaces = ' '.repeat(450_000);
    const config = `[remote "a"]\n\turl = x${spaces}"b\n\turl =${spaces}"b"c\n\turl = "https://x/y" \n`;
    writeFileSync(join(top, '.git/config'), config);
    expect(await findGitProject(top)).toEqual({ folder: top, remote: 'https://x/y' });
  });

  it('is found from a subfolder, in a worktree and in a submodule', async () => {
    const top = tempFolder();
    git(top, 'init', '-q');
    git(top, 'remote', 'add', 'fork', 'https://example.org/fork/engine');
    git(top, 'remote', 'add', 'origin', 'git@example.org:ada/engine.git');
    git(top, 'commit', '-q', '--allow-empty', '-m', 'first');
    const project = { folder: top, remote: 'git@example.org:ada/engine.git' };
    expect(await findGitProject(top)).toEqual(project);
    expect(await findGitProject(join(top, 'not', 'there', 'yet'))).toEqual(project);
    const tree = join(tempFolder(), 'tree');
    git(top, 'worktree', 'add', '-q', tree);
    expect(await findGitProject(tree)).toEqual({ ...project, folder: tree, main: top });
    const copy = tempFolder();
    cpSync(join(tree, '.git'), join(copy, '.git'));
    expect(await findGitProject(copy)).toEqual({ ...project, folder: copy });
    const outer = tempFolder();
    git(outer, 'init', '-q');
    git(outer, 'submodule', '--quiet', 'add', top, 'inner');
    expect(await findGitProject(join(outer, 'inner'))).toEqual({
      folder: join(outer, 'inner'),
      remote: top,
    });
    expect(await findGitProject(outer)).toEqual({ folder: outer });
  });

  it('is not found if the files are not those of git', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, '.git'), 'gitdir: /nowhere\n');
    expect(await findGitProject(folder)).toBeUndefined();
  });
});

describe('insights of a project with a name', () => {
  const run = (place: Place, cwd: string, ...args: string[]) =>
    runCommand(place, ['insight', ...args], cwd);

  it('are found from a subfolder and after the folder moved; a git remote has priority', async () => {
    await withPlace(async (place) => {
      const old = join(place.folder, 'old');
      const moved = join(place.folder, 'moved');
      const clone = join(place.folder, 'clone');
      for (const folder of [old, clone]) {
        mkdirSync(join(folder, 'src'), { recursive: true });
        writeFileSync(join(folder, '.daybook-project'), 'Garden\n');
      }
      const saved = await run(place, join(old, 'src'), 'save', 'Clay soil needs sand');
      expect(saved.stdout).toContain('project:garden');
      renameSync(old, moved);
      expect((await run(place, join(moved, 'src'), 'search', 'clay')).stdout).toContain('sand');
      expect((await run(place, place.folder, 'list', '--context', 'project:garden')).code).toBe(0);
      git(clone, 'init', '-q');
      expect((await run(place, clone, 'search', 'clay')).code).toBe(0);
      git(clone, 'remote', 'add', 'origin', 'https://example.org/eve/trap.git');
      const inClone = await run(place, join(clone, 'src'), 'search', 'clay');
      expect([inClone.code, inClone.stdout]).toEqual([1, expect.not.stringContaining('sand')]);
      writeFileSync(join(moved, '.daybook-project'), '../../etc\n');
      const wrong = await run(place, moved, 'list');
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('.daybook-project')]);
    });
  });
});

describe('insights of a repository', () => {
  const run = (place: Place, cwd: string, ...args: string[]) =>
    runCommand(place, ['insight', ...args], cwd);

  it('stay after the worktree in which they were saved is gone', async () => {
    await withPlace(async (place) => {
      const [main, tree] = [join(place.folder, 'main'), join(place.folder, 'tree')];
      mkdirSync(main);
      git(main, 'init', '-q');
      git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
      git(main, 'worktree', 'add', '-q', tree);
      await run(place, main, 'save', 'Clay soil needs sand');
      expect((await run(place, tree, 'search', 'clay')).stdout).toContain('sand');
      await run(place, tree, 'save', 'Peas need poles');
      git(main, 'worktree', 'remove', tree);
      expect((await run(place, main, 'search', 'peas')).stdout).toContain('poles');
    });
  });

  it('are found from a subfolder and from another clone, and so are those saved under a path', async () => {
    await withPlace(async (place) => {
      const [mine, clone] = [join(place.folder, 'mine'), join(place.folder, 'clone')];
      for (const folder of [mine, clone]) {
        mkdirSync(join(folder, 'src'), { recursive: true });
        git(folder, 'init', '-q');
      }
      const old = await run(place, mine, 'save', 'Saved before there was a remote');
      expect(old.stdout).toContain(mine);
      git(mine, 'remote', 'add', 'origin', 'https://example.org/ada/engine.git');
      git(clone, 'remote', 'add', 'origin', 'git@example.org:ada/engine');
      const saved = await run(place, join(mine, 'src'), 'save', 'Engines need oil before use');
      expect(saved.stdout).toContain('git:example.org/ada/engine');
      const fromClone = await run(place, join(clone, 'src'), 'search', 'oil');
      expect([fromClone.code, fromClone.stdout]).toEqual([0, expect.stringContaining('need oil')]);
      const both = await run(place, join(mine, 'src'), 'search', 'before');
      expect(both.stdout).toContain('a remote');
      expect(both.stdout).toContain('need oil');
      const list = await run(place, mine, 'list', '--json');
      expect(JSON.parse(list.stdout)).toMatchObject({ total: 2 });
    });
  });

  it('are mentioned if another context has some and this one has none', async () => {
    await withPlace(async (place) => {
      const notes = join(place.folder, 'notes');
      mkdirSync(join(notes, 'deep'), { recursive: true });
      await run(place, notes, 'save', 'Kept without git');
      const below = await run(place, join(notes, 'deep'), 'list');
      expect([below.code, below.stdout]).toEqual([0, expect.stringContaining('without git')]);
      const elsewhere = await run(place, place.folder, 'search', 'git');
      expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining(notes)]);
      const named = await run(place, notes, 'list', '--context', join(notes, 'deep'));
      expect([named.code, named.stderr]).toEqual([1, expect.stringContaining(`${notes} (1)`)]);
    });
  });
});
