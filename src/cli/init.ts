/**
 * `daybook init`: makes the folders of a root, records it in the user's own configuration folder (the
 * record, not the presence of the folders, is what makes a folder a root), and tells MCP clients of
 * it: on request, asked for each, with a copy of what was there.
 */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from '../app.js';
import { isoTime, systemClock } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { assertKeepsData, configFolder, foldersFile, parseFolders } from '../config.js';
import { makeFolder } from '../files/atomic-write.js';
import { changeUserFile, isFolder } from '../files/edit-user-file.js';
import { withLock } from '../files/file-lock.js';
import { readTextIfPresent } from '../files/user-files.js';
import { canAsk, confirm } from './ask.js';
import { type Client, clientsOf, entryOf, type Start, startOf, withEntry } from './clients.js';
import { configuration, type Flags } from './configuration.js';
import { tell } from './tell.js';

export interface InitOptions {
  client?: string[];
  print?: boolean;
  yes?: boolean;
  json?: boolean;
}

interface Told {
  readonly client: string;
  readonly path: string;
  readonly outcome: 'written' | 'there already' | 'left alone' | 'refused';
  readonly copy?: string;
  readonly reason?: string;
}

/** Makes and registers `folder`, else `--root`, else this folder; doing it again changes nothing. */
export async function init(
  folder: string | undefined,
  options: InitOptions,
  flags: Flags,
): Promise<void> {
  if (folder !== undefined && flags['root'] !== undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      `Both ${folder} and --root ${flags['root']} are given.`,
      {
        hint: 'Give the folder once: daybook init FOLDER is the same as daybook --root FOLDER init.',
      },
    );
  }
  const config = configuration({ ...flags, root: folder ?? flags['root'] ?? '.' });
  assertKeepsData(config.root, 'The folder');
  const clients = await clientsFor(options);
  const start = startOf(config.root, { node: process.execPath, main: mainFile() });
  if (options.print) return print(clients, start, options);
  await makeFolder(join(config.root, 'memory-bank'));
  const app = await createApp(config);
  await app.close();
  await register(config.root);
  const say = (line: string) => (options.json ? undefined : console.log(line));
  say(`Daybook keeps its files in ${config.root}`);
  say(`  conversations: ${config.logsDir}`);
  say(`It is used whenever Daybook starts in or below that folder.`);
  const told = await tellClients(clients, start, options);
  for (const line of told.map(lineOf)) say(line);
  if (told.some(({ outcome }) => outcome === 'refused')) process.exitCode = 1;
  tell({ root: config.root, logsDir: config.logsDir, start, clients: told }, options.json, () => {
    if (told.length > 0) return;
    console.log(
      clients.length === 0
        ? 'No MCP client was found: daybook init --print shows what to add to one.'
        : `Found ${clients.map(({ title }) => title).join(', ')}: daybook init --yes adds Daybook, --print shows what would be added.`,
    );
  });
}

/** What would be added to each client; nothing is made, registered or changed. */
function print(clients: readonly Client[], start: Start, { json }: InitOptions): void {
  const blocks = clients.map((client) => ({
    client: client.title,
    path: client.path,
    add: additionOf(client, start),
  }));
  tell({ start, clients: blocks }, json, () =>
    console.log(clients.map((client) => blockOf(client, start)).join('\n\n')),
  );
}

/** The clients that are named; else those that are there, or all for printing. VALIDATION_ERROR. */
async function clientsFor({ client: names, print }: InitOptions): Promise<readonly Client[]> {
  const all = clientsOf();
  if (names !== undefined) return all.filter(({ name }) => names.includes(name));
  if (print) return all;
  const found: Client[] = [];
  for (const client of all) if (await isFolder(client.folder)) found.push(client);
  return found;
}

async function register(root: string): Promise<void> {
  const folder = configFolder();
  const path = foldersFile(folder);
  await withLock(join(folder, '.locks'), 'folders', async (lock) => {
    const folders = parseFolders(readTextIfPresent(path), path);
    if (folders.includes(root)) return;
    const text = `${JSON.stringify({ folders: [...folders, root] }, null, 2)}\n`;
    await lock.replace(path, Buffer.from(text), { fsync: true });
  });
}

/** This command's own file: what it was started as, or where this module was packed into. */
const mainFile = () => resolve(process.argv[1] ?? fileURLToPath(import.meta.url));

/** Nothing is changed where nobody said so: no answer is no. */
async function tellClients(
  clients: readonly Client[],
  start: Start,
  { yes = false, client: named }: InitOptions,
): Promise<Told[]> {
  if (!yes && !canAsk()) {
    if (named === undefined) return [];
    throw new AppError('VALIDATION_ERROR', 'There is nobody to ask.', {
      hint: 'The folder was made and registered; no client was changed. Give --yes or --print.',
    });
  }
  const told: Told[] = [];
  for (const client of clients) told.push(await tellClient(client, start, yes));
  return told;
}

async function tellClient(client: Client, start: Start, yes: boolean): Promise<Told> {
  const { title, path } = client;
  const done = (outcome: Told['outcome'], others: Partial<Told> = {}) => ({
    ...{ client: title, path, outcome },
    ...others,
  });
  try {
    const changed = (text: string) => withEntry(text, client, entryOf(client, start));
    const before = readTextIfPresent(path) ?? '';
    if (changed(before) === before) return done('there already');
    if (!yes) console.error(`\n${blockOf(client, start)}`);
    if (!yes && !(await confirm(`Add this to ${title}?`))) return done('left alone');
    const time = isoTime(systemClock.now()).replace(/[-:.]/g, '');
    // Made from what is there now: the client may have written while the question stood.
    const copy = await changeUserFile(path, changed, `before-daybook-${time}`);
    return done('written', copy === undefined ? {} : { copy });
  } catch (error) {
    if (!isAppError(error)) throw error;
    return done('refused', { reason: `${error.message} ${error.hint}` });
  }
}

function blockOf(client: Client, start: Start): string {
  return `${client.title}: ${client.path}\n${JSON.stringify(additionOf(client, start), null, 2)}`;
}

const additionOf = (client: Client, start: Start) => ({
  [client.list]: { daybook: entryOf(client, start) },
});

function lineOf({ client, path, outcome, copy, reason }: Told): string {
  const facts = [
    ...(copy === undefined ? [] : [`what was there: ${copy}`]),
    ...(reason === undefined ? [] : [reason]),
  ];
  return `${client}: ${outcome} (${path})${facts.map((fact) => `\n  ${fact}`).join('')}`;
}
