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

/** Without what must not be stored; `masked` is absent if nothing was taken out. */
export async function screened<T extends Screened>(
  screen: Screen | undefined,
  given: readonly T[],
): Promise<{ messages: readonly T[]; masked?: readonly string[] }> {
  // What is no message is refused by the writer.
  const isChecked = given.every((each) => typeof each?.content === 'string');
  if (screen === undefined || !isChecked) return { messages: given };
  const { messages, masked } = await screen.screen(given);
  return { messages, ...(masked.length > 0 && { masked }) };
}
