/**
 * `daybook init`: creates the folders of a root, registers the root in the user's configuration folder,
 * and adds Daybook to MCP clients. Only the registration makes a folder a root. `--remove` removes the
 * registration and the entries, and no data.
 */
import { requireWholeRoot } from '../../app/root-checks.js';
import { createApp } from '../../app.js';
import { AppError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import { foldersFile, parseFolders } from '../../config/find-root.js';
import { assertKeepsData } from '../../config/given-path.js';
import { configFolder } from '../../config/user-folders.js';
import { makeFolder } from '../../files/atomic/atomic-write.js';
import { withLock } from '../../files/locks/file-lock.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';
import {
  type ClientReport,
  changeClients,
  isUpToDate,
  removeFromClients,
} from '../clients/change-clients.js';
import { type Client, clientsOf, entryOf, installed, optionsExcept } from '../clients/clients.js';
import { blockOf, storedEntry } from '../clients/entry-files.js';
import { sessionHooksOf } from '../clients/session-hooks.js';
import { shellLine } from '../clients/shell-line.js';
import { type StartCommand, startCommand } from '../clients/start-command.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { offerHooks } from '../notices/offered-hooks.js';
import { earlierRoot, ROOT_CHOICES } from '../notices/other-root.js';
import { offerImports } from '../notices/tool-logs.js';
import { configuration, type Flags } from '../options/configuration.js';
import { canAsk, requireTerminal } from '../terminal/confirm.js';
import { type ConsentOptions, report } from '../terminal/output.js';
import { escapeLines } from '../terminal/terminal-text.js';

export interface InitOptions extends ConsentOptions {
  client?: string[];
  print?: boolean;
  remove?: boolean;
  replace?: boolean;
  importWatch?: boolean;
  /** Also adds the hooks of `sessionHooksOf`. */
  sessionStart?: boolean;
}

const TOOLSETS_OPTION = '--toolsets';

/**
 * The root is `folder`, otherwise `--root`, `DAYBOOK_ROOT` or the configuration file, otherwise the working
 * folder. A second run changes nothing.
 */
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
  const { root: given = folder, ...otherFlags } = flags;
  const usual = configuration(otherFlags);
  const config =
    given === undefined && isSet(usual) ? usual : configuration({ ...flags, root: given ?? '.' });
  assertKeepsData(config.root, 'The folder');
  if (options.remove && options.print) {
    throw new AppError(
      'VALIDATION_ERROR',
      '--remove changes clients, and --print changes nothing.',
      {
        hint: 'Give only one of them. Without --yes, --remove asks before it changes a client.',
      },
    );
  }
  const clients = await chosen(clientsOf(), options);
  const hooks = await chosen(sessionHooksOf(), options);
  if (options.remove)
    return remove(config.root, [...clients, ...hooks.filter(storedEntry)], options);
  await requireWholeRoot(config);
  const start = withToolsets(startCommand(config.root), flags['toolsets']);
  if (options.print)
    return print([...clients, ...(options.sessionStart ? hooks : [])], start, options);
  await makeFolder(config.memoryBankFolder);
  const app = await createApp(config);
  const { importer } = app;
  const found = Promise.all([importer.locations(), importer.watched()]);
  const [stored, watched] = await found.finally(() => app.close());
  await changeRegister((folders) =>
    folders.includes(config.root) ? folders : [...folders, config.root],
  );
  const say = sayUnless(options.json);
  say(`Daybook keeps its files in ${config.root}`);
  say(`  conversations: ${config.logsDir}`);
  for (const line of useLines(config.root, usual)) say(line);
  for (const line of await earlierRoot(config.root, usual)) say(line);
  const isAsked = mayChange(
    options,
    'The folder was created and registered; no client was changed.',
  );
  const reports = isAsked ? await changeClients(clients, { start, ...options }) : [];
  for (const line of reports.map(lineOf)) say(line);
  const again = ['daybook', 'init', ...(given === undefined ? [] : [given])];
  if (!isAsked || clients.length === 0)
    for (const line of foundLines(clients, start, again)) say(line);
  for (const line of checkLines(reports)) say(line);
  for (const line of limitLines(clients, reports, start, again)) say(line);
  const hookReports = await offerHooks(hooks, start, options, again, say);
  for (const line of hookReports.map(lineOf)) say(line);
  await offerImports({ stored, watched }, config, options, again, say);
  const all = [...reports, ...hookReports];
  finish({ root: config.root, logsDir: config.logsDir, start, clients: all }, options);
}

/** `start` with the toolsets that the user gave to `daybook init`. */
const withToolsets = (start: StartCommand, toolsets: string | undefined): StartCommand =>
  toolsets === undefined ? start : { ...start, args: [...start.args, TOOLSETS_OPTION, toolsets] };

/** Whether a setting names the root. Then the folder in which Daybook starts has no effect. */
const isSet = ({ rootSource }: Config) => rootSource === 'environment' || rootSource === 'file';

/** When Daybook uses the new root. `usual`: the configuration without `--root`. */
function useLines(root: string, usual: Config): string[] {
  if (!isSet(usual)) return ['Daybook uses this folder when it starts in this folder or below it.'];
  const source = ROOT_CHOICES[usual.rootSource];
  return usual.root === root
    ? [`Daybook uses this folder wherever it starts: it is ${source}.`]
    : [
        `But Daybook uses ${usual.root} wherever it starts: it is ${source}.`,
        `To use the new folder, change that setting, or add ${shellLine(['--root', root])} to each command.`,
      ];
}

async function remove(
  root: string,
  clients: readonly Client[],
  options: InitOptions,
): Promise<void> {
  const isAsked = mayChange(options, 'Nothing was changed.');
  if (!isAsked) requireTerminal('Nothing was changed.');
  const reports = await removeFromClients(clients, { root, ...options });
  const wasRegistered = await changeRegister((folders) => folders.filter((each) => each !== root));
  const say = sayUnless(options.json);
  for (const line of reports.map(lineOf)) say(line);
  say(wasRegistered ? `${root} is no longer registered.` : `${root} was not registered.`);
  say('Its files were not changed.');
  finish({ root, wasRegistered, clients: reports }, options);
}

function finish(
  facts: { readonly clients: readonly ClientReport[]; readonly [fact: string]: unknown },
  { json }: InitOptions,
): void {
  if (facts.clients.some(({ outcome }) => outcome === 'refused')) process.exitCode = NOTHING_FOUND;
  report(facts, json, () => undefined);
}

const sayUnless = (json: boolean | undefined) => (line: string) => {
  if (!json) console.log(escapeLines(line));
};

/** True if the user can be asked or gave `--yes`. Otherwise throws VALIDATION_ERROR if clients were named. */
function mayChange({ yes, client }: InitOptions, done: string): boolean {
  if (yes || canAsk()) return true;
  if (client !== undefined) requireTerminal(done);
  return false;
}

/** Prints the entry for each client; nothing is created, registered or changed. */
function print(clients: readonly Client[], start: StartCommand, { json }: InitOptions): void {
  const blocks = clients.map((client) => {
    const entry = entryOf(client, start);
    const text = blockOf(client, entry);
    const isHook = client.format === 'hook';
    const add: unknown = isHook ? JSON.parse(text) : { [client.serversField]: { daybook: entry } };
    return { client: client.title, path: client.path, add, text };
  });
  report({ start, clients: blocks.map(({ text: _, ...block }) => block) }, json, () =>
    console.log(blocks.map(({ client, path, text }) => `${client}: ${path}\n${text}`).join('\n\n')),
  );
}

/** The named clients; without names the installed clients, or all clients for `--print`. */
async function chosen<C extends Client>(
  all: readonly C[],
  { client: names, print }: InitOptions,
): Promise<readonly C[]> {
  if (names !== undefined) return all.filter(({ name }) => names.includes(name));
  return print ? all : installed(all);
}

/** Returns true if the list of registered folders changed. */
async function changeRegister(
  change: (folders: readonly string[]) => readonly string[],
): Promise<boolean> {
  const folder = configFolder();
  const path = foldersFile(folder);
  return withLock(locksFolderIn(folder), 'folders', async (lock) => {
    const before = parseFolders(readTextIfPresent(path), path);
    const folders = change(before);
    if (folders.length === before.length) return false;
    const text = `${JSON.stringify({ folders }, null, 2)}\n`;
    await lock.replace(path, Buffer.from(text), { fsync: true });
    return true;
  });
}

/** Which clients have Daybook already, and how to add it to the others. */
function foundLines(
  clients: readonly Client[],
  start: StartCommand,
  again: readonly string[],
): string[] {
  const command = shellLine([...again, ...optionsExcept(start.args, ['--root'])]);
  if (clients.length === 0)
    return [`No MCP client was found. To see what to add to a client, run ${command} --print.`];
  const done = clients.filter((client) => isUpToDate(client, start));
  const others = clients.filter((client) => !done.includes(client));
  const has = done.length === 1 ? 'has' : 'have';
  const them = others.length === 1 ? 'it' : 'them';
  const names = others.map(({ name }) => name).join(' ');
  return [
    ...(done.length === 0 ? [] : [`${titlesOf(done)} ${has} Daybook with this folder already.`]),
    ...(others.length === 0
      ? []
      : [
          `Found ${titlesOf(others)}: to add Daybook to ${them}, run ${command} --yes; to see the change first, run ${command} --print --client ${names}.`,
        ]),
  ];
}

const titlesOf = (clients: readonly Client[]) =>
  new Intl.ListFormat('en').format(clients.map(({ title }) => title));

/** What to do after clients got an entry: they read their settings only when they start. */
function checkLines(reports: readonly ClientReport[]): string[] {
  const changed = reports.filter(({ outcome }) => outcome === 'written' || outcome === 'changed');
  if (changed.length === 0) return [];
  const names = changed.map(({ client }) => client).join(', ');
  return [`Restart ${names}. To check, ask there: Where does Daybook keep its data?`];
}

/** How to offer fewer tools to clients that got an entry with all tools, and that use a limited number. */
function limitLines(
  clients: readonly Client[],
  reports: readonly ClientReport[],
  start: StartCommand,
  again: readonly string[],
): string[] {
  if (start.args.includes(TOOLSETS_OPTION)) return [];
  const written = reports.filter(({ outcome }) => outcome === 'written');
  return clients.flatMap(({ name, title, toolLimit }) => {
    if (toolLimit === undefined || !written.some(({ client }) => client === title)) return [];
    const fewer = [...again, '--client', name, TOOLSETS_OPTION, 'conversations,memory_bank'];
    return [
      `${title} limits the number of tools of all MCP servers together (${toolLimit}). If it reports too many tools, let Daybook offer fewer, for example: ${shellLine(fewer)}`,
    ];
  });
}

function lineOf({ client, path, outcome, copy, reason }: ClientReport): string {
  const facts = [
    ...(copy === undefined ? [] : [`copy of the earlier file: ${copy}`]),
    ...(reason === undefined ? [] : [reason]),
  ];
  return `${client}: ${outcome} (${path})${facts.map((fact) => `\n  ${fact}`).join('')}`;
}
