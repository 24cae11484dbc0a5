/** The notice for a user who finds nothing because an MCP client stores its data in another root. */
import type { Config } from '../../config/config.js';
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

/** The roots of MCP clients that differ; none if the user chose the root. */
async function otherRoots({ root, rootSource }: Config): Promise<string[]> {
  if (rootSource !== 'home' && rootSource !== 'registered') return [];
  const { rootsOfClients } = await import('../clients/client-roots.js');
  const others = [...rootsOfClients()].filter(([other]) => other !== root);
  if (others.length === 0) return [];
  return [
    `This command used the root ${root} (${ROOT_CHOICES[rootSource]}).`,
    ...others.map(([other, titles]) => {
      const verb = titles.length === 1 ? 'uses' : 'use';
      const clients = new Intl.ListFormat('en').format(titles);
      return `${clients} ${verb} ${other}: to see that root, add ${shellLine(['--root', other])}.`;
    }),
  ];
}

/** Prints `otherRoots` on stderr. For commands that found nothing, and for `daybook info`. */
export async function reportOtherRoot(config: Config): Promise<void> {
  for (const sentence of await otherRoots(config)) console.error(escapeControls(sentence));
}
