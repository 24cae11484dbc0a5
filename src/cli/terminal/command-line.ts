/** The commands that Daybook prints for people, who may run them in another folder. */
import { shellLine } from '../clients/shell-line.js';
import { configuration, type Flags } from '../options/configuration.js';
import { escapeControls } from './terminal-text.js';

/** A printed command. `init` with a folder takes no --root. */
const COMMAND = /\bdaybook (?=[a-z])(?!init [^-\s])/g;

/** The text, in whose commands `daybook` is followed by the root if --root was given. */
export function withRoot(flags: Flags, text: string): string {
  if (flags['root'] === undefined || text.search(COMMAND) < 0) return text;
  const line = `${daybookLine(flags)} `;
  const { root } = configuration(flags);
  // The path of a root, such as `/home/me/daybook files`, is not a command.
  return text
    .split(root)
    .map((part) => part.replaceAll(COMMAND, () => line))
    .join(root);
}

/** `daybook` with these words, quoted for the shell, and with the whole path of the root if --root was given. */
export function daybookLine(flags: Flags, ...words: readonly string[]): string {
  const isRootGiven = flags['root'] !== undefined;
  const root = isRootGiven ? ['--root', configuration(flags).root] : [];
  return escapeControls(shellLine(['daybook', ...root, ...words]));
}
