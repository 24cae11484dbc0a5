/**
 * Removes secrets and private parts from texts that are not messages, before they are stored. The
 * stores call it; `privacy/` implements it, and `app` joins the two.
 */
export interface TextScreen {
  /** Whether a quick check shows that no text of this JSON value has anything to remove. */
  isCleanValue(value: unknown): boolean;
  /**
   * Returns the value without it, and the names of what was removed, such as `GITHUB_TOKEN`, one entry for
   * each removal.
   */
  screenValue<T>(value: T): Promise<{ readonly value: T; readonly masked: readonly string[] }>;
}

/** Returns the value unchanged if there is no screen. */
export async function screenedBy<T>(
  screen: TextScreen | undefined,
  value: T,
): Promise<{ readonly value: T; readonly masked: readonly string[] }> {
  if (screen === undefined || screen.isCleanValue(value)) return { value, masked: [] };
  return screen.screenValue(value);
}
