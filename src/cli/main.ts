#!/usr/bin/env node
/**
 * The command `daybook`. The build makes a CommonJS file of it: on Node 20 the loader of ES modules starts the
 * threads for file operations before an ES module can set their number.
 */
import { growThreadPool } from '../config/environment.js';

/** Most of an import's time is waiting for fsync. Each thread of the pool waits for one. */
const IMPORT_THREADS = 16;

if (process.argv.includes('import', 2)) growThreadPool(IMPORT_THREADS);
void import('./run.js');
