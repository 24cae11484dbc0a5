/** The entry of Daybook in a JSON file with comments. Only this part of the text is changed. */
import { findNodeAtLocation, type Node, type ParseError, parse, parseTree } from 'jsonc-parser';
import { isRecord } from '../../base/json-fields.js';
import { lineAndColumn, shownPlace } from '../../base/text/line-and-column.js';
import type { Client, Entry } from './clients.js';
import { BOM, type Change, edited } from './edit-json.js';
import { unfitFile } from './unfit-file.js';

const OPTIONS = { allowTrailingComma: true };

function readEntry(text: string, client: Client): Entry | undefined {
  const content = text.startsWith(BOM) ? text.slice(1) : text;
  if (content.trim() === '') return undefined;
  const errors: ParseError[] = [];
  const value: unknown = parse(content, errors, OPTIONS);
  const [error] = errors;
  if (error !== undefined) {
    const place = shownPlace(lineAndColumn(content, error.offset));
    throw unfitFile(client, `is not valid JSON (${place})`);
  }
  const servers = fieldOf(value, client.serversField);
  if (!isRecord(value)) throw unfitFile(client, 'is not a JSON object');
  if (servers !== undefined && !isRecord(servers)) {
    throw unfitFile(client, `has a value in "${client.serversField}" that is not an object`);
  }
  const twice = duplicateName(content, client, ['command', 'args', ...Object.keys(client.fields)]);
  if (twice !== undefined) throw unfitFile(client, `has the name "${twice}" twice in one object`);
  const entry = fieldOf(servers, 'daybook');
  return isRecord(entry) ? entry : undefined;
}

function withEntry(text: string, client: Client, entry: Entry): string {
  const existing = readEntry(text, client);
  if (existing === undefined) return edited(text, [[[client.serversField, 'daybook'], entry]]);
  const changes = Object.entries(entry)
    .filter(([name, wanted]) => JSON.stringify(existing[name]) !== JSON.stringify(wanted))
    .map(([name, wanted]): Change => [[client.serversField, 'daybook', name], wanted]);
  return changes.length === 0 ? text : edited(text, changes);
}

function withoutEntry(text: string, client: Client): string {
  if (readEntry(text, client) === undefined) return text;
  const without = edited(text, [[[client.serversField, 'daybook'], undefined]]);
  return isLeftEmpty(without, client)
    ? edited(without, [[[client.serversField], undefined]])
    : without;
}

/**
 * Whether the servers are an empty object beside other settings, as in a file to which Daybook had added the
 * object. A file with nothing else stays a list of servers, and a comment in the object stays.
 */
function isLeftEmpty(text: string, { serversField }: Client): boolean {
  const content = text.startsWith(BOM) ? text.slice(1) : text;
  const tree = parseTree(content, [], OPTIONS);
  const servers = tree && findNodeAtLocation(tree, [serversField]);
  if (servers === undefined || (tree?.children?.length ?? 0) < 2) return false;
  return /^\{\s*\}$/.test(content.slice(servers.offset, servers.offset + servers.length));
}

const blockOf = ({ serversField }: Client, entry: Entry): string =>
  JSON.stringify({ [serversField]: { daybook: entry } }, null, 2);

/** Programs do not agree which of two equal names is used, so such a file is not changed. */
function duplicateName(text: string, { serversField }: Client, fields: readonly string[]) {
  const tree = parseTree(text, [], OPTIONS);
  const at = (...path: string[]) => tree && findNodeAtLocation(tree, path);
  const steps: [Node | undefined, readonly string[]][] = [
    [tree, [serversField]],
    [at(serversField), ['daybook']],
    [at(serversField, 'daybook'), fields],
  ];
  for (const [object, names] of steps) {
    const present = object?.children?.map(({ children }) => children?.[0]?.value);
    const twice = names.find((name) => present?.indexOf(name) !== present?.lastIndexOf(name));
    if (twice !== undefined) return twice;
  }
  return undefined;
}

const fieldOf = (value: unknown, name: string): unknown =>
  isRecord(value) ? value[name] : undefined;

export const jsonEntries = { readEntry, withEntry, withoutEntry, blockOf };
