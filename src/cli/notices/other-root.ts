/** The notice for a user who finds nothing because the data are in another root. */
import { dirname, resolve } from 'node:path';
import { isAppError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import { foldersFile, parseFolders } from '../../config/find-root.js';
import { isFolder } from '../../files/paths/folders.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';
import { shellLine } from '../clients/shell-line.js';
import { escapeControls } from '../terminal/terminal-text.js';

/** The source of the root, as text for people. */
export const ROOT_CHOICES: Readonly<Record<Config['rootSource'], string>> = {
  flag: 'set with --root',
  environment: 'set in DAYBOOK_ROOT',
  file: 'set in your configuration file',
  registered: 'registered with daybook init',
  home: 'the default',
};

/** The other roots of MCP clients, and registered folders; none if the user chose the root. */
async function otherRoots({ root, rootSource, configFile }: Config): Promise<string[]> {
  if (rootSource !== 'home' && rootSource !== 'registered') return [];
  const { rootsOfClients } = await import('../clients/client-roots.js');
  const ofClients = rootsOfClients();
  const sentences: string[] = [];
  for (const [other, titles] of ofClients) {
    if (other === root) continue;
    const verb = titles.length === 1 ? 'uses' : 'use';
    const who = `${new Intl.ListFormat('en').format(titles)} ${verb} ${other}`;
    const isPresent = await isFolder(other);
    sentences.push(isPresent ? toSee(who, other) : `${who}, which does not exist.`);
  }
  for (const other of registered(configFile)) {
    if (other === root || ofClients.has(other) || !(await isFolder(other))) continue;
    sentences.push(toSee(`${other} is registered with daybook init`, other));
  }
  if (sentences.length === 0) return [];
  return [`This command used the root ${root} (${ROOT_CHOICES[rootSource]}).`, ...sentences];
}

const toSee = (what: string, root: string) =>
  `${what}: to see that root, add ${shellLine(['--root', root])}.`;

/** A file that cannot be read is ignored: the command opened a root without it. */
function registered(configFile: string): string[] {
  const file = foldersFile(dirname(configFile));
  try {
    return parseFolders(readTextIfPresent(file), file).map((path) => resolve(path));
  } catch (error) {
    if (isAppError(error)) return [];
    throw error;
  }
}

/** Prints `otherRoots` on stderr. For commands that found nothing, and for `daybook info`. */
export async function reportOtherRoot(config: Config): Promise<void> {
  for (const sentence of await otherRoots(config)) console.error(escapeControls(sentence));
}
