/** The commands that Daybook prints for people, who may run them in another folder. */
import { shellLine } from '../clients/shell-line.js';
import { configuration, type Flags } from '../configuration.js';
import { escapeControls } from './terminal-text.js';

/** The text, in whose commands `daybook` is followed by the root if --root was given. */
export const withRoot = (flags: Flags, text: string): string =>
  flags['root'] === undefined
    ? text
    : text.replaceAll(/\bdaybook (?=[a-z])/g, () => `${daybookLine(flags)} `);

/** `daybook` with these words, quoted for the shell, and with the whole path of the root if --root was given. */
export function daybookLine(flags: Flags, ...words: readonly string[]): string {
  const isRootGiven = flags['root'] !== undefined;
  const root = isRootGiven ? ['--root', configuration(flags).root] : [];
  return escapeControls(shellLine(['daybook', ...root, ...words]));
}
