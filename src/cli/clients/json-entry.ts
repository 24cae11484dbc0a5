/** The entry of Daybook in a JSON file with comments. Only this part of the text is changed. */
import { isRecord } from '../../base/json-fields.js';
import type { Client, Entry } from './clients.js';
import { type Change, edited, parsedObject, requireSingle, sourceAt } from './edit-json.js';
import { unfitFile } from './unfit-file.js';

function readEntry(text: string, client: Client): Entry | undefined {
  const { serversField, fields } = client;
  const servers = parsedObject(text, client)?.[serversField];
  if (servers !== undefined && !isRecord(servers)) {
    throw unfitFile(client, `has a value in "${serversField}" that is not an object`);
  }
  requireSingle(text, client, [
    [[], [serversField]],
    [[serversField], ['daybook']],
    [
      [serversField, 'daybook'],
      ['command', 'args', ...Object.keys(fields)],
    ],
  ]);
  const entry = servers?.['daybook'];
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
function isLeftEmpty(text: string, client: Client): boolean {
  const { serversField } = client;
  const fields = Object.keys(parsedObject(text, client) ?? {});
  return fields.length > 1 && /^\{\s*\}$/.test(sourceAt(text, [serversField]) ?? '');
}

const blockOf = ({ serversField }: Client, entry: Entry): string =>
  JSON.stringify({ [serversField]: { daybook: entry } }, null, 2);

export const jsonEntries = { readEntry, withEntry, withoutEntry, blockOf };
