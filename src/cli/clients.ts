/**
 * The MCP clients that `daybook init` knows: where each keeps its list of servers on this platform,
 * and how an entry of that list looks. Changing such a file keeps comments, other entries and the
 * way it is written.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser';
import { AppError } from '../base/errors.js';
import { programsFolder } from '../config.js';

export interface Client {
  /** As it is named on the command line. */
  readonly name: string;
  readonly title: string;
  readonly path: string;
  /** There where the client has ever run. */
  readonly folder: string;
  /** The field that holds the servers. */
  readonly list: 'mcpServers' | 'servers';
  readonly hasType: boolean;
}

export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

interface Machine {
  readonly home?: string;
  readonly platform?: string;
  readonly env?: { readonly [name: string]: string | undefined };
}

/** All of them, installed or not. */
export function clientsOf(machine: Machine = {}): readonly Client[] {
  const { home = homedir() } = machine;
  const programs = programsFolder(machine);
  const claude = join(programs, 'Claude');
  const code = join(programs, 'Code', 'User');
  const windsurf = join(home, '.codeium', 'windsurf');
  const cursor = join(home, '.cursor');
  const client = (name: string, title: string, folder: string, path: string): Client => ({
    ...{ name, title, folder, path },
    ...{ list: 'mcpServers', hasType: false },
  });
  return [
    client('claude-desktop', 'Claude Desktop', claude, join(claude, 'claude_desktop_config.json')),
    {
      ...client('claude-code', 'Claude Code', join(home, '.claude'), join(home, '.claude.json')),
      hasType: true,
    },
    client('cursor', 'Cursor', cursor, join(cursor, 'mcp.json')),
    {
      ...client('vscode', 'VS Code', code, join(code, 'mcp.json')),
      ...{ list: 'servers', hasType: true },
    },
    client('windsurf', 'Windsurf', windsurf, join(windsurf, 'mcp_config.json')),
  ];
}

/**
 * How a client starts Daybook on `root`. By absolute paths, as a program that was started from a
 * desktop has no PATH of a shell; through npx where this copy lies in npx's own cache, which it may
 * empty at any time.
 */
export function startOf(
  root: string,
  { node, main, platform = process.platform }: { node: string; main: string; platform?: string },
): Start {
  const own = ['--root', root];
  if (!/[/\\]_npx[/\\]/.test(main)) return { command: node, args: [main, ...own] };
  const npx = ['npx', '-y', 'daybook', ...own];
  // npx is a script on Windows, which only a shell can start.
  if (platform === 'win32') return { command: 'cmd', args: ['/c', ...npx] };
  return { command: 'npx', args: npx.slice(1) };
}

export function entryOf({ hasType }: Client, start: Start): Record<string, unknown> {
  return { ...(hasType && { type: 'stdio' }), command: start.command, args: [...start.args] };
}

const BOM = '\ufeff';

/** The file's text with the entry in it; the same text where it is there already. CORRUPT. */
export function withEntry(text: string, client: Client, entry: Record<string, unknown>): string {
  if (text.startsWith(BOM)) return BOM + withEntry(text.slice(1), client, entry);
  const before = text.trim() === '' ? '{}\n' : text;
  const errors: ParseError[] = [];
  const value: unknown = parse(before, errors, { allowTrailingComma: true });
  const servers = fieldOf(value, client.list);
  if (errors.length > 0 || !isObject(value) || (servers !== undefined && !isObject(servers))) {
    throw unfit(client, `is not what ${client.title} reads`);
  }
  const twice = nameGivenTwice(before, client, Object.keys(entry));
  if (twice !== undefined) throw unfit(client, `has "${twice}" twice in one object`);
  const there = fieldOf(servers, 'daybook');
  const isThere = ([name, wanted]: [string, unknown]) =>
    JSON.stringify(fieldOf(there, name)) === JSON.stringify(wanted);
  if (Object.entries(entry).every(isThere)) return text;
  const indent = /\n([ \t]+)\S/.exec(before)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: before.includes('\r\n') ? '\r\n' : '\n',
  };
  const put = (old: string, path: string[], wanted: unknown) =>
    applyEdits(old, modify(old, path, wanted, { formattingOptions }));
  const path = [client.list, 'daybook'];
  if (!isObject(there)) return put(before, path, entry);
  // What else is in the entry (env, disabled) is the user's own.
  return Object.entries(entry)
    .filter((field) => !isThere(field))
    .reduce((old, [name, wanted]) => put(old, [...path, name], wanted), before);
}

function unfit({ path }: Client, what: string): AppError {
  return new AppError('CORRUPT', `${path} ${what}.`, {
    hint: 'It was left untouched. Correct it, or print the entry with --print and add it by hand.',
    details: { path },
  });
}

/** On the way to the entry: programs do not agree on which of two counts, so neither can be changed. */
function nameGivenTwice(text: string, { list }: Client, fields: readonly string[]) {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const at = (...path: string[]) => tree && findNodeAtLocation(tree, path);
  const steps: [Node | undefined, readonly string[]][] = [
    [tree, [list]],
    [at(list), ['daybook']],
    [at(list, 'daybook'), fields],
  ];
  for (const [object, names] of steps) {
    const present = object?.children?.map(({ children }) => children?.[0]?.value);
    const twice = names.find((name) => present?.indexOf(name) !== present?.lastIndexOf(name));
    if (twice !== undefined) return twice;
  }
  return undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldOf = (value: unknown, name: string): unknown =>
  isObject(value) ? value[name] : undefined;
