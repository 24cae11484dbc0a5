#!/usr/bin/env node
/** The command `daybook`. `program.ts` lists the commands; `exit-status.ts` has the exit statuses. */
import { growThreadPool } from '../config/environment.js';
import { useCompileCache } from './compile-cache.js';
import { useSourceMaps } from './source-maps.js';

useCompileCache();
useSourceMaps();

/** Most of an import's time is waiting for fsync. Each thread of the pool waits for one. */
const IMPORT_THREADS = 16;

const args = process.argv.slice(2);
if (args.includes('import')) growThreadPool(IMPORT_THREADS);
const { createProgram } = await import('./program.js');
const program = createProgram(args);
try {
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  const { reportFailure } = await import('./errors/failure.js');
  await reportFailure(error, program.opts());
}
