#!/usr/bin/env node
/** The command `daybook`. `program.ts` lists the commands; `status.ts` has the exit statuses. */
import { createProgram } from './program.js';
import { useSourceMaps } from './source-maps.js';

useSourceMaps();

const args = process.argv.slice(2);
try {
  await createProgram(args).parseAsync(args, { from: 'user' });
} catch (error) {
  const { reportFailure } = await import('./failure.js');
  await reportFailure(error);
}
