/**
 * Adds, changes or removes the entry of Daybook in the settings files of MCP clients. For each client it
 * shows the change, asks the user, and makes a copy of the file. An entry with another root is changed
 * only if the user agrees to this change, or with `replace`.
 */
import { resolve } from 'node:path';
import { compactTime, systemClock } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { changeUserFile } from '../../files/atomic/edit-user-file.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';
import { confirm } from '../terminal/confirm.js';
import { escapeLines } from '../terminal/terminal-text.js';
import { type Client, type Entry, entryOf, optionsExcept, rootOf } from './clients.js';
import { blockOf, readEntry, withEntry, withoutEntry } from './entry-files.js';
import { shellLine } from './shell-line.js';
import type { StartCommand } from './start-command.js';

export interface ClientReport {
  readonly client: string;
  readonly path: string;
  readonly outcome: 'written' | 'changed' | 'removed' | 'unchanged' | 'left alone' | 'refused';
  /** Path of the copy of the earlier file. */
  readonly copy?: string;
  readonly reason?: string;
}

interface Consent {
  /** Changes without asking. */
  readonly yes?: boolean;
  /** With `yes`: also changes an entry with another root. */
  readonly replace?: boolean;
}

/** Throws CANCELLED at Ctrl-C: then the files of earlier clients are changed, the others are not. */
export function changeClients(
  clients: readonly Client[],
  { start, yes = false, replace = false }: Consent & { readonly start: StartCommand },
): Promise<ClientReport[]> {
  return forEach(clients, (client) => addTo(client, start, { yes, replace }));
}

/** Removes the entries with this `root`; entries with another root are not changed. */
export function removeFromClients(
  clients: readonly Client[],
  { root, yes = false }: Consent & { readonly root: string },
): Promise<ClientReport[]> {
  return forEach(clients, (client) => removeFrom(client, root, yes));
}

/** Whether the client has the entry of `start`; false if its file cannot be read. */
export function isUpToDate(client: Client, start: StartCommand): boolean {
  try {
    const text = readTextIfPresent(client.path) ?? '';
    return changedFor(client, start)(text) === text;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return false;
  }
}

const changedFor = (client: Client, start: StartCommand) => (text: string) =>
  withEntry(text, client, entryOf(client, start, readEntry(text, client)));

type Change = Pick<ClientReport, 'outcome' | 'copy' | 'reason'>;

async function forEach(
  clients: readonly Client[],
  work: (client: Client) => Promise<Change>,
): Promise<ClientReport[]> {
  const reports: ClientReport[] = [];
  for (const client of clients) {
    const change = await work(client).catch((error: unknown): Change => {
      if (!isAppError(error) || error.code === 'CANCELLED') throw error;
      return { outcome: 'refused', reason: `${error.message} ${error.hint}` };
    });
    reports.push({ client: client.title, path: client.path, ...change });
  }
  return reports;
}

async function addTo(
  client: Client,
  start: StartCommand,
  { yes, replace }: Required<Consent>,
): Promise<Change> {
  const before = readTextIfPresent(client.path) ?? '';
  const existing = readEntry(before, client);
  const entry = entryOf(client, start, existing);
  const changed = changedFor(client, start);
  if (changed(before) === before) return { outcome: 'unchanged' };
  const other = existing && otherRoot(existing, rootOf(entry));
  if (!yes) {
    console.error(`\n${escapeLines(shownChange(client, existing, entry))}`);
    if (!(await confirm(questionOf(client, existing, other)))) return { outcome: 'left alone' };
  } else if (other !== undefined && !replace) {
    const options = [...optionsExcept(start.args, ['--root']), '--yes', '--replace'];
    const again = ['daybook', 'init', ...folderOf(entry), '--client', client.name, ...options];
    const reason = `It uses ${other}. To change this, run: ${shellLine(again)}`;
    return { outcome: 'left alone', reason };
  }
  return done(
    existing === undefined ? 'written' : 'changed',
    await changeSettings(client.path, changed),
  );
}

/** The folder of the entry as an argument; none if the entry is for the default root. */
function folderOf(entry: Entry): string[] {
  const root = rootOf(entry);
  return root === undefined ? [] : [root];
}

async function removeFrom(client: Client, root: string, yes: boolean): Promise<Change> {
  const before = readTextIfPresent(client.path) ?? '';
  const existing = readEntry(before, client);
  if (existing === undefined)
    return { outcome: 'unchanged', reason: 'The file has no entry for Daybook.' };
  const other = otherRoot(existing, root);
  if (other !== undefined) {
    const [own] = folderOf(existing);
    const how = own ? `run: ${shellLine(['daybook', 'init', own, '--remove'])}` : 'edit the file.';
    return { outcome: 'left alone', reason: `Its entry is for ${other}. To remove it, ${how}` };
  }
  if (!yes) {
    console.error(
      `\n${escapeLines(`${client.title}: ${client.path}\n${blockOf(client, existing)}`)}`,
    );
    if (!(await confirm(`Remove this from ${client.title}?`))) return { outcome: 'left alone' };
  }
  return done('removed', await changeSettings(client.path, (text) => withoutEntry(text, client)));
}

const done = (outcome: Change['outcome'], copy: string | undefined): Change => ({
  outcome,
  ...(copy !== undefined && { copy }),
});

/**
 * Changes a settings file and keeps a copy of it, like `changeUserFile`. Applies `change` to the present text,
 * because other programs can write while the user is asked. Returns the path of the copy.
 */
export function changeSettings(
  path: string,
  change: (text: string) => string,
): Promise<string | undefined> {
  const time = compactTime(systemClock.now());
  return changeUserFile(path, change, `before-daybook-${time}`);
}

/** The root of the entry, if it is not `root`. */
function otherRoot(entry: Entry, root: string | undefined): string | undefined {
  const own = rootOf(entry);
  if (own === undefined) return 'the default root of Daybook';
  return root !== undefined && resolve(own) === resolve(root) ? undefined : own;
}

function questionOf({ title }: Client, existing: Entry | undefined, other: string | undefined) {
  if (existing === undefined) return `Add this to ${title}?`;
  return other === undefined
    ? `Change the entry of ${title}?`
    : `${title} uses ${other} now. Change it?`;
}

/** The new entry as text; for an existing entry, the fields that differ, with old and new value. */
function shownChange(client: Client, existing: Entry | undefined, entry: Entry): string {
  const heading = `${client.title}: ${client.path}`;
  if (existing === undefined) return `${heading}\n${blockOf(client, entry)}`;
  const lines = Object.keys(entry).flatMap((name) => {
    const [was, is] = [JSON.stringify(existing[name]), JSON.stringify(entry[name])];
    if (was === is) return [];
    return [...(was === undefined ? [] : [`  - "${name}": ${was}`]), `  + "${name}": ${is}`];
  });
  return [heading, ...lines].join('\n');
}
