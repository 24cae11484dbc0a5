/** Joins words to a command line that a person can paste into a shell, and divides such a line into words. */

const NEEDS_NO_QUOTES = /^[\w@%+=:,.\\/-]+$/;

/**
 * Quotes for a POSIX shell; on Windows for cmd and PowerShell, where a path has no quotation marks. With
 * `quotesPaths` a path on Windows is quoted for Git Bash too, which removes backslashes outside of quotes.
 */
export function shellLine(
  words: readonly string[],
  platform: string = process.platform,
  quotesPaths = false,
): string {
  const isWindows = platform === 'win32';
  return words
    .map((word) => {
      const isPlain = (isWindows && !quotesPaths) || !word.includes('\\');
      if (isPlain && NEEDS_NO_QUOTES.test(word)) return word;
      return isWindows ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
    })
    .join(' ');
}

/** The words of a line that `shellLine` made. */
export function shellWords(line: string, platform: string = process.platform): string[] {
  const word = platform === 'win32' ? /"[^"]*"|\S+/g : /(?:'[^']*'|\\'|[^\s'])+/g;
  return Array.from(line.matchAll(word), ([quoted]) =>
    platform === 'win32'
      ? quoted.replace(/^"(.*)"$/, '$1')
      : quoted.replace(/'([^']*)'|\\(')/g, '$1$2'),
  );
}
