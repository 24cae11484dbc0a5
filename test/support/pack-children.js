/**
 * The programs that tests start as processes of their own, packed as the command is: hundreds of them
 * are started, and they start in half the time. Output: test/dist.
 */
import { readdirSync } from 'node:fs';
import command from '../../rolldown.config.js';

const CRASHED = 'test/crash/children';
const programs = readdirSync(CRASHED).map((name) => `${CRASHED}/${name}`);

export default {
  ...command,
  input: [...programs, 'test/search/cache-writer.ts'],
  output: { dir: 'test/dist', format: 'esm' },
};
