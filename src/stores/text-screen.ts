/**
 * Removes secrets and private parts from texts that are not messages, before they are stored. The
 * stores call it; `privacy/` implements it, and `app` joins the two.
 */
export interface TextScreen {
  /** Whether a quick check shows that no text of this JSON value has anything to remove. */
  isCleanValue(value: unknown): boolean;
  /** The same value without it, and what was taken out, such as `GITHUB_TOKEN`, once for each time. */
  screenValue<T>(value: T): Promise<{ readonly value: T; readonly masked: readonly string[] }>;
}

/** Without a screen the value stays as it is. */
export async function screenedBy<T>(
  screen: TextScreen | undefined,
  value: T,
): Promise<{ readonly value: T; readonly masked: readonly string[] }> {
  if (screen === undefined || screen.isCleanValue(value)) return { value, masked: [] };
  return screen.screenValue(value);
}
