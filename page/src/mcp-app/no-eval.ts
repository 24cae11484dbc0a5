/** Switches off code generation in zod, which a host forbids. It must be imported before a schema is made. */
import { config } from 'zod/v4/core';

config({ jitless: true });
