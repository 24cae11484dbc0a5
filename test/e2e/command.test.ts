/** The commands for people: init, info, help, and what a mistake says. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand, withPlace } from './harness.js';

describe('daybook init', () => {
  it('makes the folders, and is used in and below that folder from then on', async () => {
    await withPlace(async (place) => {
      const project = join(place.folder, 'project');
      const below = join(project, 'src', 'deep');
      await mkdir(below, { recursive: true });
      expect((await runCommand(place, ['init'], project)).code).toBe(0);
      expect((await runCommand(place, ['init', '.'], project)).code).toBe(0);
      expect(await readFile(join(project, 'conversation-logs', '.gitignore'), 'utf8')).toBe('*\n');
      expect((await stat(join(project, 'memory-bank'))).isDirectory()).toBe(true);
      const register = await readFile(join(place.folder, 'config/daybook/folders.json'), 'utf8');
      expect(JSON.parse(register)).toEqual({ folders: [project] });
      const inside = await runCommand(place, ['info'], below);
      expect(inside.stdout).toContain(`${project} (registered with daybook init)`);
      const outside = await runCommand(place, ['info']);
      expect(outside.stdout).toContain(join(place.folder, '.daybook'));
    });
  });

  it('makes the folder that --root names, and refuses two', async () => {
    await withPlace(async (place) => {
      expect((await runCommand(place, ['--root', place.root, 'init'])).code).toBe(0);
      expect((await stat(join(place.root, 'memory-bank'))).isDirectory()).toBe(true);
      const register = await readFile(join(place.folder, 'config/daybook/folders.json'), 'utf8');
      expect(JSON.parse(register)).toEqual({ folders: [place.root] });
      const twice = await runCommand(place, ['--root', place.root, 'init', 'elsewhere']);
      expect(twice).toMatchObject({ code: 1, stdout: '' });
      expect(twice.stderr).toContain('elsewhere');
      await expect(stat(join(place.folder, 'elsewhere'))).rejects.toThrow();
    });
  });

  it('refuses a folder inside a package cache', async () => {
    await withPlace(async (place) => {
      const { code, stderr } = await runCommand(place, ['init', 'node_modules/x']);
      expect(code).toBe(1);
      expect(stderr).toContain('package cache');
    });
  });
});

describe('daybook info', () => {
  it('tells where the data is and what is set', async () => {
    await withPlace(async (place) => {
      const { code, stdout } = await runCommand(place, ['info', '--root', place.root]);
      expect(code).toBe(0);
      expect(stdout).toContain(`${place.root} (chosen by --root)`);
      expect(stdout).toMatch(/fsync +off/);
    });
  });
});

describe('help and mistakes', () => {
  it('prints help and version to stdout', async () => {
    await withPlace(async (place) => {
      const help = await runCommand(place, ['--help']);
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toContain('init [options] [folder]');
      expect((await runCommand(place, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    });
  });

  it.each([
    [['--nope'], '--nope'],
    [['nope'], 'nope'],
    [['info', '--log-level', 'loud'], '--log-level takes one of debug'],
    [['--toolsets', 'x', 'info'], '--toolsets takes all'],
  ])('%o says what is wrong, on stderr', async (args, expected) => {
    await withPlace(async (place) => {
      const { code, stdout, stderr } = await runCommand(place, args);
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toContain(expected);
    });
  });
});
