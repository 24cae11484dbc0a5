#!/usr/bin/env node
/**
 * The command `daybook`. Errors end it with status 1 and a sentence a person can act on;
 * `program.ts` says what the commands are.
 */
import { tellFailure } from './failure.js';
import { createProgram } from './program.js';

try {
  await createProgram().parseAsync();
} catch (error) {
  await tellFailure(error, 1);
}
