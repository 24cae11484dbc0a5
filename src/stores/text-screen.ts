/**
 * Removes secrets and private parts from texts that are not messages, before they are stored. The stores
 * call this interface, `privacy/` implements it, and `app` connects the two.
 */
export interface TextScreen {
  /** A fast check: true if certainly nothing must be removed from the texts of this JSON value. */
  isCleanValue(value: unknown): boolean;
  /**
   * Returns the value without secrets and private parts, and the kinds of the removed parts, such as
   * `GITHUB_TOKEN`, one entry for each removal.
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
