/** The notices for a user who finds nothing because the data are in another root. */
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { isAppError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import { defaultRoot, foldersFile, parseFolders } from '../../config/find-root.js';
import { isFolder, listFolders } from '../../files/paths/folders.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
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

/** The other roots of MCP clients, registered folders and the default; none if the user chose the root. */
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
  const home = defaultRoot(homedir());
  const isNamed = home === root || ofClients.has(home) || registered(configFile).includes(home);
  if (!isNamed && (await isFolder(home)))
    sentences.push(toSee(`${home} is the default root`, home));
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

/** For a new root: where the conversations are that were stored before. `usual`: the root without it. */
export async function earlierRoot(root: string, usual: Config): Promise<string[]> {
  if (usual.rootSource !== 'home' || usual.root === root) return [];
  if (!(await listFolders(usual.logsDir)).some((name) => CONVERSATION_ID.test(name))) return [];
  const instead = shellLine(['daybook', 'init', usual.root]);
  return [
    `${usual.root} has conversations that are not in the new folder: to see them, add ${shellLine(['--root', usual.root])}. To use that folder instead, run ${instead}.`,
  ];
}

/** Prints `otherRoots` on stderr. For commands that found nothing, and for `daybook info`. */
export async function reportOtherRoot(config: Config): Promise<void> {
  for (const sentence of await otherRoots(config)) console.error(escapeControls(sentence));
}
