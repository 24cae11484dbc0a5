/** A shell splits a line that Daybook prints into the same words. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellLine } from '../../src/cli/clients/shell-line.js';

const WORDS = [
  '/a/b',
  'two words',
  "it's",
  '$HOME',
  'a"b',
  'back\\slash',
  '*',
  'ü',
  '',
  '~/x',
  ';ls',
];

it('a shell reads the line as the same words', () => {
  const program = 'console.log(JSON.stringify(process.argv.slice(1)))';
  const line = shellLine([process.execPath, '-e', program, '--', ...WORDS], 'linux');
  expect(JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' }))).toEqual(WORDS);
});

it('plain words are not quoted', () => {
  expect(shellLine(['/usr/bin/node', '--root', '/home/ada/notes'], 'linux')).toBe(
    '/usr/bin/node --root /home/ada/notes',
  );
  expect(shellLine(['C:\\Program Files\\node.exe', 'C:\\x'], 'win32')).toBe(
    '"C:\\Program Files\\node.exe" C:\\x',
  );
});
