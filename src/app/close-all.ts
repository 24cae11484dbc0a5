/** Closes the parts of the App at its end. */

/** Closes the parts in order, also after an error; then rejects with the first error. */
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
