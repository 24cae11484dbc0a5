/** The process that runs the commands of the tests returns the same as a process for each command. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MAIN, type Place, runProcess, withPlace } from '../e2e/harness.js';
import { runInHost } from './in-host.js';

const COMMANDS: readonly (readonly string[])[] = [
  ['save', 'user', 'Which pot?', '--conversation-id', 'tea'],
  ['list'],
  ['list', '--json'],
  ['search', 'walrus'],
  ['list', '--limit', 'many'],
  ['lst'],
  ['kg', 'add', '--help'],
  ['--version'],
];

it('returns the output and the status of each command, also if the command calls process.exit', async () => {
  const answers = async (run: (place: Place, args: readonly string[]) => Promise<unknown>) =>
    withPlace(async (place) => {
      mkdirSync(place.root);
      const found: unknown[] = [];
      for (const args of COMMANDS) found.push(await run(place, args));
      const text = JSON.stringify(found).replaceAll(place.folder, 'FOLDER');
      return text.replace(/\d{8}-\d{13}/g, 'ID').replace(/\d{4}-\d\d-\d\dT?[ \d:.]*Z?/g, 'TIME');
    });
  const inHost = await answers((place, args) =>
    runInHost({ main: MAIN, args, env: { ...place.env, DAYBOOK_ROOT: 'root' }, cwd: place.folder }),
  );
  const inProcesses = await answers((place, args) =>
    runProcess({ ...place, env: { ...place.env, DAYBOOK_ROOT: 'root' } }, args),
  );
  expect(inHost).toBe(inProcesses);
  expect(inHost).toContain('Which pot?');
});

it('has the environment and the working folder of each command only', async () => {
  await withPlace(async ({ folder, env }) => {
    const pathIn = async (name: string, extra: Record<string, string>) => {
      mkdirSync(join(folder, name));
      const command = { main: MAIN, args: ['info', '--json'], cwd: join(folder, name) };
      const answer = await runInHost({ ...command, env: { ...env, ...extra } });
      return JSON.parse(answer?.stdout ?? '').root;
    };
    expect(await pathIn('a', { DAYBOOK_ROOT: '.' })).toBe(join(folder, 'a'));
    expect(await pathIn('b', { DAYBOOK_ROOT: '.' })).toBe(join(folder, 'b'));
    expect(await pathIn('c', {})).not.toContain(join(folder, 'b'));
  });
});
