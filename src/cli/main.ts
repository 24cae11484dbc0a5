#!/usr/bin/env node
/**
 * The command `daybook`. Errors end it with status 1 and a sentence a person can act on;
 * `program.ts` says what the commands are.
 */
import { isAppError } from '../base/errors.js';
import { createProgram } from './program.js';

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!isAppError(error)) throw error;
  console.error(`daybook: ${error.message}\n  ${error.hint}`);
  process.exitCode = 1;
}
