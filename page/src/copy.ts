/** Copies a text to the clipboard. Returns the outcome as text for a button; a host can forbid copying. */
export async function copyText(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Copying is not allowed';
  }
}
