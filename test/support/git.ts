/** Runs git in a folder, with an author, because a machine of tests has none. */
import { execFileSync } from 'node:child_process';

const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];

export const gitIn =
  (folder: string) =>
  (...args: string[]): string =>
    execFileSync('git', ['-C', folder, ...AUTHOR, ...args], { encoding: 'utf8' });
