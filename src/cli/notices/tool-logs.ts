/**
 * The conversations that other tools store on this machine: `daybook init` says how to import them, and
 * on a terminal it offers that servers import new ones (the setting `importWatch`).
 */

import type { Config } from '../../config/config.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';
import type { DefaultLocation } from '../../import/tool-logs/default-locations.js';
import { changeSettings } from '../clients/change-clients.js';
import { edited } from '../clients/edit-json.js';
import { shellLine } from '../clients/shell-line.js';
import { canAsk, confirm } from '../terminal/confirm.js';

interface ToolLogs {
  readonly stored: readonly DefaultLocation[];
  /** Those from which servers import new conversations. */
  readonly watched: readonly DefaultLocation[];
}

/**
 * Says (`say` prints a line) how to import the logs. `again`: the words of the present command. Without `yes`,
 * it asks on a terminal; with a yes, or with `importWatch`, it writes the setting into the configuration file.
 */
export async function offerImports(
  { stored, watched }: ToolLogs,
  { root, configFile }: Config,
  { importWatch = false, yes = false }: { importWatch?: boolean; yes?: boolean },
  again: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const tools = namesOf(stored);
  if (stored.length > 0) {
    const command = shellLine(['daybook', '--root', root, 'import']);
    say(`Conversations of ${tools} are on this machine. To see and import them, run ${command}`);
  }
  const isOpen = stored.length > 0 && watched.length === 0;
  const question = `Let servers import new conversations of ${tools} every minute, before such tools delete them?`;
  if (importWatch || (isOpen && !yes && canAsk() && (await confirm(question)))) {
    await watchAll(configFile);
    say(
      `${configFile} has "importWatch": "all" now. Servers that start afterwards import new conversations every minute.`,
    );
  } else if (isOpen) {
    const command = shellLine([...again, '--import-watch']);
    say(
      `To let servers import new ones every minute, before such tools delete them, run ${command}`,
    );
  }
}

/** Some tools have several places: "Cursor (editor)", "Cursor (command line)". */
const namesOf = (stored: readonly DefaultLocation[]): string =>
  [...new Set(stored.map(({ title }) => title.replace(/ \(.*/, '')))].join(', ');

async function watchAll(configFile: string): Promise<void> {
  const change = (text: string) => edited(text, [[['importWatch'], 'all']]);
  const present = readTextIfPresent(configFile);
  if (present === undefined || change(present) !== present)
    await changeSettings(configFile, change);
}
