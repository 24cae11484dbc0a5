/** The size of several things together, such as files or the items of a list. */
export const totalBytes = (items: readonly { readonly sizeBytes: number }[]): number =>
  items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
