/** The commands that are printed for a person reach the root of the command that prints them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Place, runCommand, withPlace } from './harness.js';

/** Makes an empty root whose path needs quotes and looks like a command. */
const withRoot = (work: (place: Place) => Promise<void>): Promise<void> =>
  withPlace(async ({ folder, env }) => {
    const root = join(folder, 'my daybook root');
    await mkdir(root);
    await work({ folder, env, root });
  });

it.each([
  ['show', 'nothing'],
  ['mb', 'read', 'nothing.md'],
  ['insight', 'get', 'ffff'],
  ['unlock', 'nothing'],
  ['providers', 'test', 'nothing'],
  ['kg', 'add', 'Ada', 'knows'],
])('in the hint of an error have the root that was given: %s %s', async (...args) => {
  await withRoot(async (place) => {
    const inText = await runCommand(place, ['--root', 'my daybook root', ...args]);
    const [, hint = ''] = inText.stderr.split('\n  ');
    expect(hint).toContain(`daybook --root '${place.root}' `);
    expect(hint.replaceAll(place.root, '')).not.toMatch(/\bdaybook [a-z]/);
    const inJson = await runCommand(place, ['--root', 'my daybook root', ...args, '--json']);
    expect(JSON.parse(inJson.stdout).error.hint.trim()).toBe(hint.trim());
  });
});

it.each([
  { args: ['import'], isWritten: '.claude/projects/p/s.jsonl' },
  { args: ['providers'] },
  { args: ['kg', 'query', 'Ada'] },
  { args: ['kg', 'delete', 'Ada', 'knows', 'Charles'] },
  { args: ['search', 'tea', '--archive'] },
  { args: ['search', 'tea', '--mode', 'semantic'] },
])('in a report have the root that was given: $args', async ({ args, isWritten }) => {
  await withRoot(async (place) => {
    if (isWritten !== undefined) {
      await mkdir(join(place.folder, dirname(isWritten)), { recursive: true });
      await writeFile(join(place.folder, isWritten), '{}\n');
    }
    const { stdout, stderr } = await runCommand(place, ['--root', 'my daybook root', ...args]);
    const printed = `${stdout}\n${stderr}`;
    expect(printed).toContain(`daybook --root '${place.root}' `);
    expect(printed.replaceAll(place.root, '')).not.toMatch(/\bdaybook [a-z]/);
  });
});

it('have no root if none was given', async () => {
  await withRoot(async ({ root, folder, env }) => {
    const place = { root, folder, env: { ...env, DAYBOOK_ROOT: root } };
    const { stderr } = await runCommand(place, ['show', 'nothing']);
    expect(stderr).toContain('run daybook save');
  });
});

it('does not hide the error of a wrong setting', async () => {
  await withRoot(async ({ root, folder, env }) => {
    const place = { root, folder, env: { ...env, DAYBOOK_MAX_MESSAGES: 'many' } };
    const { code, stdout } = await runCommand(place, ['--root', root, 'list', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe('VALIDATION_ERROR');
  });
});

it('init keeps its folder, because it refuses a folder and a root', async () => {
  await withPlace(async (place) => {
    const { stderr } = await runCommand(place, ['--root', place.root, 'list']);
    expect(stderr).toContain(`daybook init ${place.root}`);
  });
});
