/** Puts a text onto the clipboard; what a button then says. A frame may be forbidden to. */
export async function copyText(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Copying is not allowed';
  }
}
