/** Closes the parts of the App at its end. */

/**
 * Closes one part after the other. If some cannot be closed, the others are closed too; then it rejects with
 * the first error.
 */
export async function closeAll(parts: readonly { close(): void | Promise<void> }[]): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      await part.close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
