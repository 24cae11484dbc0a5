/** Runs the command of `process.argv`. `program.ts` lists the commands; `exit-status.ts` has the exit statuses. */
import { useCompileCache } from './compile-cache.js';
import { useSourceMaps } from './source-maps.js';

useCompileCache();
useSourceMaps();

const args = process.argv.slice(2);
const { createProgram } = await import('./program.js');
const program = createProgram(args);
try {
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  const { reportFailure } = await import('./errors/failure.js');
  await reportFailure(error, program.opts());
}
