#!/usr/bin/env node
/** The command `daybook`. `program.ts` lists the commands; `exit-status.ts` has the exit statuses. */
import { useCompileCache } from './compile-cache.js';
import { useSourceMaps } from './source-maps.js';

useCompileCache();
useSourceMaps();

const args = process.argv.slice(2);
try {
  const { createProgram } = await import('./program.js');
  await createProgram(args).parseAsync(args, { from: 'user' });
} catch (error) {
  const { reportFailure } = await import('./failure.js');
  await reportFailure(error);
}
