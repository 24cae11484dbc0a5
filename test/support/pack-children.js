/**
 * The programs that tests start as processes of their own, packed as the command is: hundreds of them
 * are started, and they start in half the time. Output: test/dist.
 */
import { readdirSync } from 'node:fs';
import builds from '../../rolldown.config.js';

const [command] = builds;
const FOLDER = 'test/crash/children';

export default {
  ...command,
  input: readdirSync(FOLDER).map((name) => `${FOLDER}/${name}`),
  output: { dir: 'test/dist', format: 'esm' },
};
