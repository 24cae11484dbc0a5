/**
 * The interface that removes secrets and private parts from texts that are not messages, before they are
 * stored. The stores call it, `privacy/secret-masker.ts` implements it, and `app` connects the two.
 */
export interface TextMasker {
  /** A fast check: true if certainly nothing must be removed from the texts of this JSON value. */
  isCleanValue(value: unknown): boolean;
  /**
   * Returns the value without secrets and private parts, and the kinds of the removed parts, such as
   * `GITHUB_TOKEN`, one entry for each removal.
   */
  maskValue<T>(value: T): Promise<{ readonly value: T; readonly masked: readonly string[] }>;
}

/** Returns the value unchanged if there is no masker. */
export async function maskedBy<T>(
  masker: TextMasker | undefined,
  value: T,
): Promise<{ readonly value: T; readonly masked: readonly string[] }> {
  if (masker === undefined || masker.isCleanValue(value)) return { value, masked: [] };
  return masker.maskValue(value);
}
