/** Joins the parts of a message, such as its text and the lines that name its files. */

/** The parts that are not empty, with a blank line between them. */
export const paragraphs = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('\n\n');
