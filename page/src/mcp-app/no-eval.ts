/** Imported before any schema is made: zod tries by itself whether it may compile text into code. */
import { config } from 'zod/v4/core';

config({ jitless: true });
