/** The line and the column of a position in a text, for people who correct a file. Both count from 1. */

export interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

export function lineAndColumn(text: string, offset: number): LineAndColumn {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export const shownPlace = ({ line, column }: LineAndColumn): string =>
  `line ${line}, column ${column}`;
