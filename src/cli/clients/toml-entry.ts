/**
 * The entry of Daybook in a TOML file (Codex). No widely used TOML library for Node.js keeps comments, so
 * the table is changed as text. Then `smol-toml` parses the result: the entry must be the new one, and
 * everything else must be the same as before. Otherwise the file is refused.
 */
import { isDeepStrictEqual } from 'node:util';
import { parse, type TomlTable } from 'smol-toml';
import { isRecord } from '../../base/json-fields.js';
import type { Client, Entry } from './clients.js';
import { unfitFile } from './unfit-file.js';

/** The table and its sub-tables, such as `[mcp_servers.daybook.env]`. */
const HEADER = /^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*"?daybook"?[ \t]*(\.[^\]]*)?\]/;
const ANY_HEADER = /^[ \t]*\[/;

function readEntry(text: string, client: Client): Entry | undefined {
  const servers = parsed(text, client)['mcp_servers'];
  const entry = isTable(servers) ? servers['daybook'] : undefined;
  return isTable(entry) ? entry : undefined;
}

function withEntry(text: string, client: Client, entry: Entry): string {
  const existing = readEntry(text, client);
  if (isDeepStrictEqual(existing && { ...existing }, { ...entry })) return text;
  const base = existing === undefined ? text : withoutEntry(text, client);
  const separator = base.trim() === '' ? '' : `${base.endsWith('\n') ? '' : '\n'}\n`;
  const changed = `${base}${separator}${blockOf(client, entry)}\n`;
  return checked(changed, client, { ...servers(text, client), daybook: entry }, text);
}

function withoutEntry(text: string, client: Client): string {
  if (readEntry(text, client) === undefined) return text;
  const remaining: string[] = [];
  let isInside = false;
  let pending: string[] = []; // comments at the end of the table, which belong to the next table
  for (const line of text.split(/(?<=\n)/)) {
    const isOwn = HEADER.test(line);
    if (!isOwn && ANY_HEADER.test(line)) {
      if (isInside) remaining.push(...pending);
      isInside = false;
    }
    if (isOwn) isInside = true;
    pending = isInside && /^[ \t]*(#|\r?\n?$)/.test(line) ? [...pending, line] : [];
    if (!isInside) remaining.push(line);
  }
  if (isInside) remaining.push(...pending);
  const { daybook: _, ...others } = servers(text, client);
  return checked(remaining.join(''), client, others, text);
}

function blockOf(_client: Client, entry: Entry): string {
  const tables = Object.entries(entry).filter(([, value]) => isTable(value));
  const plain = Object.entries(entry).filter(([, value]) => !isTable(value));
  return [
    '[mcp_servers.daybook]',
    ...plain.map(lineOf),
    ...tables.flatMap(([name, table]) => [
      '',
      `[mcp_servers.daybook.${JSON.stringify(name)}]`,
      ...Object.entries(table as Entry).map(lineOf),
    ]),
  ].join('\n');
}

/** JSON strings, numbers and arrays of strings are valid TOML; `checked` refuses other values. */
const lineOf = ([name, value]: [string, unknown]) =>
  `${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)} = ${JSON.stringify(value)}`;

/** Such as `mcp_servers = { … }` on one line, to which no table can be added. */
const UNSAFE = 'is written in a way that Daybook cannot change safely';

function isToml(text: string): boolean {
  try {
    return parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** Returns `changed` if it parses to `before` with the servers `wanted`. Otherwise throws CORRUPT. */
function checked(
  changed: string,
  client: Client,
  wanted: Readonly<Record<string, unknown>>,
  before: string,
): string {
  const withServers = (text: string, own: unknown) => ({
    ...parsed(text, client),
    mcp_servers: own,
  });
  if (!isToml(changed)) throw unfitFile(client, UNSAFE);
  const now = withServers(changed, { ...servers(changed, client) });
  if (isDeepStrictEqual(plainOf(now), plainOf(withServers(before, wanted)))) return changed;
  throw unfitFile(client, UNSAFE);
}

/** The parser returns objects without prototype and its own dates, which `isDeepStrictEqual` treats as different. */
const plainOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function servers(text: string, client: Client): Readonly<Record<string, unknown>> {
  const found = parsed(text, client)['mcp_servers'];
  return isTable(found) ? found : {};
}

function parsed(text: string, client: Client): TomlTable {
  try {
    return parse(text);
  } catch (cause) {
    const [reason = ''] = cause instanceof Error ? cause.message.split('\n') : [];
    throw unfitFile(client, `is not valid TOML (${reason})`, cause);
  }
}

const isTable = (value: unknown): value is TomlTable => isRecord(value) && !(value instanceof Date);

export const tomlEntries = { readEntry, withEntry, withoutEntry, blockOf };
