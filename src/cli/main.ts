#!/usr/bin/env node
/**
 * The command `daybook`. `program.ts` lists the commands, `status.ts` says what a command ends with.
 * Everything is imported after source maps are switched on, because Node reads the map of a file only
 * when it loads the file: stack traces then name the lines of the sources instead of the bundle.
 */
process.setSourceMapsEnabled(true);

const { createProgram } = await import('./program.js');

const args = process.argv.slice(2);
try {
  await createProgram(args).parseAsync(args, { from: 'user' });
} catch (error) {
  const { reportFailure } = await import('./failure.js');
  await reportFailure(error);
}
