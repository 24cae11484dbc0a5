/**
 * The MCP clients that `daybook init` can configure: the path of their settings file on this platform and
 * the form of an entry; and which of them are on this machine. `entry-files.ts` reads and changes the files.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isString, listIn, objectIn } from '../../base/json-fields.js';
import { programsFolder } from '../../config/user-folders.js';
import { isFolder, isPresent } from '../../files/paths/folders.js';
import { hookCommand, type StartCommand } from './start-command.js';

export interface Client {
  /** Name on the command line. */
  readonly name: string;
  readonly title: string;
  /** The settings file with the list of MCP servers. */
  readonly path: string;
  /** One of these folders exists if the client was started at least once. */
  readonly folders: readonly string[];
  /** The field of the settings file that lists the servers, or the hooks. */
  readonly serversField: 'mcpServers' | 'servers' | 'context_servers' | 'mcp_servers' | 'hooks';
  readonly format: 'json' | 'toml' | 'hook';
  /** Fields that this client needs besides `command` and `args`. */
  readonly fields: Readonly<Record<string, string | number>>;
  /** How many tools of all its servers together the client uses (docs/CLIENTS.md). */
  readonly toolLimit?: string;
}

export type Entry = Readonly<Record<string, unknown>>;

export interface Machine {
  readonly home?: string;
  readonly platform?: string;
  readonly env?: { readonly [name: string]: string | undefined };
}

/** All supported clients, installed or not. */
export function clientsOf(machine: Machine = {}): readonly Client[] {
  const { home = homedir(), platform = process.platform } = machine;
  const programs = programsFolder(machine);
  const isWindows = platform === 'win32';
  // Zed and Devin use ~/.config on macOS too.
  const zed = isWindows ? join(programs, 'Zed') : join(configHome(machine, home), 'zed');
  const devin = isWindows ? join(programs, 'devin') : join(home, '.config', 'devin');
  const gemini = join(home, '.gemini');
  const stdio = { fields: { type: 'stdio' } };
  return [
    client(
      'claude-desktop',
      'Claude Desktop',
      join(programs, 'Claude'),
      'claude_desktop_config.json',
    ),
    {
      ...client('claude-code', 'Claude Code', join(home, '.claude'), '.claude.json', stdio),
      path: join(home, '.claude.json'),
    },
    client('codex', 'Codex', join(home, '.codex'), 'config.toml', {
      serversField: 'mcp_servers',
      format: 'toml',
    }),
    client('cursor', 'Cursor', join(home, '.cursor'), 'mcp.json', {
      toolLimit: '80 in some versions',
    }),
    // The editor and the command line of Antigravity share this file; they make it for the first server.
    client('antigravity', 'Antigravity', join(gemini, 'config'), 'mcp_config.json', {
      folders: ['config', 'antigravity', 'antigravity-cli'].map((name) => join(gemini, name)),
    }),
    // Windsurf got the name Devin Desktop in June 2026. Fields that Devin does not know make a file invalid.
    client('devin', 'Devin', devin, 'mcp_config.json'),
    client('gemini', 'Gemini CLI', gemini, 'settings.json'),
    client('kiro', 'Kiro', join(home, '.kiro'), join('settings', 'mcp.json')),
    client('lm-studio', 'LM Studio', join(home, '.lmstudio'), 'mcp.json'),
    client('vscode', 'VS Code', join(programs, 'Code', 'User'), 'mcp.json', {
      serversField: 'servers',
      ...stdio,
    }),
    client('windsurf', 'Windsurf', join(home, '.codeium', 'windsurf'), 'mcp_config.json', {
      toolLimit: '100',
    }),
    client('zed', 'Zed', zed, 'settings.json', {
      serversField: 'context_servers',
      fields: { source: 'custom' },
    }),
  ];
}

/** Those that are on this machine. */
export async function installed<C extends Client>(clients: readonly C[]): Promise<readonly C[]> {
  const found: C[] = [];
  // Claude Code keeps its settings file beside its folder, so either of them may exist.
  for (const each of clients) {
    const folders = await Promise.all(each.folders.map(isFolder));
    if (folders.includes(true) || (await isPresent(each.path))) found.push(each);
  }
  return found;
}

export function client(
  name: string,
  title: string,
  folder: string,
  file: string,
  others: Partial<Client> = {},
): Client {
  const usual = { serversField: 'mcpServers', format: 'json', fields: {} } as const;
  return { name, title, folders: [folder], path: join(folder, file), ...usual, ...others };
}

function configHome({ env, platform = process.platform }: Machine, home: string): string {
  const linux = { ...(env && { env }), home, platform: 'linux' };
  return platform === 'darwin' ? join(home, '.config') : programsFolder(linux);
}

/**
 * The entry for a client. Of an existing entry, only the program and the options of `start` are replaced;
 * other arguments and fields (such as env and disabled) belong to the user and are not changed.
 */
export function entryOf(client: Client, start: StartCommand, existing: Entry = {}): Entry {
  const { name, format, fields } = client;
  const { command, args } = format === 'hook' ? hookCommand(name, start) : start;
  const own = optionsExcept(existing['args'], args.filter(isOption));
  return { ...existing, ...fields, command, args: [...args, ...own] };
}

/** The root in an entry; `undefined` if the entry has none and Daybook finds the root. */
export function rootOf({ args, env }: Entry): string | undefined {
  const words = wordsOf(args);
  const at = words.indexOf('--root');
  const joined = words.find((word) => word.startsWith('--root='))?.slice('--root='.length);
  const variable = objectIn(env)['DAYBOOK_ROOT'];
  return (at < 0 ? joined : words[at + 1]) ?? (isString(variable) ? variable : undefined);
}

/** The options in `args` (without the program) except `names`, which have a value each. */
export function optionsExcept(args: unknown, names: readonly string[]): readonly string[] {
  const words = wordsOf(args);
  const first = words.findIndex(isOption);
  if (first < 0) return [];
  const own: string[] = [];
  for (let at = first; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (names.includes(word)) at += 1;
    else if (!names.some((name) => word.startsWith(`${name}=`))) own.push(word);
  }
  return own;
}

const isOption = (word: string): boolean => word.startsWith('--');

const wordsOf = (args: unknown): readonly string[] => listIn(args).filter(isString);
