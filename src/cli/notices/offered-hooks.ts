/**
 * The hooks by which new sessions of coding assistants begin with what is stored about their project:
 * `daybook init` adds them if the user wants them, and keeps those that exist up to date.
 */
import { type ClientReport, changeClients } from '../clients/change-clients.js';
import { storedEntry } from '../clients/entry-files.js';
import type { SessionHook } from '../clients/session-hooks.js';
import { shellLine } from '../clients/shell-line.js';
import type { StartCommand } from '../clients/start-command.js';
import { canAsk } from '../terminal/confirm.js';
import type { ConsentOptions } from '../terminal/output.js';

interface HookOptions extends ConsentOptions {
  readonly sessionStart?: boolean;
  readonly replace?: boolean;
}

/**
 * Adds the hooks that are wanted: with `sessionStart` all, otherwise those that the user agrees to on a terminal.
 * `again`: the words of the present command; `say` prints a line. Throws CANCELLED like `changeClients`.
 */
export async function offerHooks(
  hooks: readonly SessionHook[],
  start: StartCommand,
  options: HookOptions,
  again: readonly string[],
  say: (line: string) => void,
): Promise<ClientReport[]> {
  const { sessionStart = false, yes = false } = options;
  const missing = hooks.filter((hook) => !storedEntry(hook));
  const isAllowed = yes || canAsk();
  const addsMissing = isAllowed && (sessionStart || !yes);
  if (missing.length > 0) {
    const names = new Intl.ListFormat('en').format(missing.map(({ assistant }) => assistant));
    const effect = `new sessions of ${names} begin with what is stored about their project`;
    const command = shellLine([...again, '--session-start', '--yes']);
    say(addsMissing ? `With a hook, ${effect}.` : `To let ${effect}, run ${command}`);
  }
  const isWanted = (hook: SessionHook) => addsMissing || !missing.includes(hook);
  const wanted = isAllowed ? hooks.filter(isWanted) : [];
  const reports = await changeClients(wanted, { start, ...options });
  const written = reports.filter(({ outcome }) => outcome === 'written');
  for (const { title, afterwards } of wanted)
    if (afterwards !== undefined && written.some(({ client }) => client === title)) say(afterwards);
  return reports;
}
