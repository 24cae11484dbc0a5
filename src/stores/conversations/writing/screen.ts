/**
 * What takes out of messages, before they are stored, what must not be stored. The store defines it;
 * `privacy/` implements it, and `app` joins the two.
 */
import type { JsonObject } from '../document/schema.js';

interface Screened {
  readonly content: string;
  readonly metadata?: JsonObject | undefined;
}

export interface Screen {
  /** The messages without it, and what was taken out, such as `GITHUB_TOKEN`, once for each time. */
  screen<T extends Screened>(
    messages: readonly T[],
  ): Promise<{ readonly messages: readonly T[]; readonly masked: readonly string[] }>;
}
