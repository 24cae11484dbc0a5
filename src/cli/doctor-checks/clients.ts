/** The check of MCP clients: entries and hooks with a program or a folder that does not exist, or with another root. */
import { isAbsolute, resolve } from 'node:path';
import { isAppError } from '../../base/errors.js';
import { isString, listIn } from '../../base/json-fields.js';
import { type Check, type CheckContext, type Found, unreadable } from '../../doctor/check.js';
import { isFolder } from '../../files/paths/folders.js';
import { readStamp } from '../../files/read/stamp.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';
import { type Client, clientsOf, type Entry, rootOf } from '../clients/clients.js';
import { readEntry } from '../clients/entry-files.js';
import { sessionHooksOf } from '../clients/session-hooks.js';
import { shellLine } from '../clients/shell-line.js';

export const clientCheck = (root: string): Check => ({
  name: 'MCP clients',
  async run(context) {
    for (const client of [...clientsOf(), ...sessionHooksOf()])
      await examine(client, root, context);
  },
});

async function examine(
  client: Client,
  root: string,
  { countChecked, found }: CheckContext,
): Promise<void> {
  const { path } = client;
  try {
    const text = readTextIfPresent(path);
    const entry = text === undefined ? undefined : readEntry(text, client);
    if (entry === undefined) return;
    countChecked();
    const own = rootOf(entry);
    const isOther = own !== undefined && resolve(own) !== root;
    const isGone = own !== undefined && !(await isFolder(own));
    // The entry keeps its own root, unless that root is gone.
    const rewrite = ['daybook', ...(isOther && !isGone ? ['--root', own] : [])];
    const consent = isGone ? ['--replace'] : [];
    const hint = `Run ${shellLine([...rewrite, 'init', '--client', client.name, ...consent])}, which writes the entry again.`;
    const problems = await missingPrograms(entry, client);
    if (isGone) problems.push(`${client.title} uses the root ${own}, which does not exist.`);
    for (const message of problems) found({ severity: 'warning', path, message, hint });
    if (isOther && !isGone) found(otherRoot(client, own));
  } catch (error) {
    if (!isAppError(error)) throw error;
    found({ ...unreadable(error, path), severity: 'warning' });
  }
}

function otherRoot({ title, path }: Client, own: string): Found {
  const message = `${title} uses another root: ${own}.`;
  const hint = `Its conversations are in that root. To list them, run: ${shellLine(['daybook', '--root', own, 'list'])}`;
  return { severity: 'note', path, message, hint };
}

async function missingPrograms(entry: Entry, { title }: Client): Promise<string[]> {
  const { command, args } = entry;
  const words = [command, ...listIn(args).slice(0, 1)];
  const programs = words.filter(isString).filter(isAbsolute);
  const problems: string[] = [];
  for (const program of programs) {
    if ((await readStamp(program)) === undefined) {
      problems.push(`${title} starts ${program}, which does not exist.`);
    }
  }
  return problems;
}
