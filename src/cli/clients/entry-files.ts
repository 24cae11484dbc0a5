/**
 * Reads, adds, changes and removes the entry of Daybook in the settings file of an MCP client. Comments,
 * other entries and the layout of the file are not changed. A file that cannot be changed safely is
 * refused with CORRUPT.
 */
import { isAppError } from '../../base/errors.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';
import type { Client, Entry } from './clients.js';
import { hookEntries } from './hook-entry.js';
import { jsonEntries } from './json-entry.js';
import { tomlEntries } from './toml-entry.js';

const FORMATS = { json: jsonEntries, toml: tomlEntries, hook: hookEntries };
const formatOf = ({ format }: Client) => FORMATS[format];

/** The entry in the file, if there is one. Throws CORRUPT. */
export const readEntry = (text: string, client: Client): Entry | undefined =>
  formatOf(client).readEntry(text, client);

/** The entry that the client has now; `undefined` also if its file cannot be read. */
export function storedEntry(client: Client): Entry | undefined {
  try {
    return readEntry(readTextIfPresent(client.path) ?? '', client);
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

/** The text of the file with the entry; the same text if the entry is already in it. Throws CORRUPT. */
export const withEntry = (text: string, client: Client, entry: Entry): string =>
  formatOf(client).withEntry(text, client, entry);

/** The text of the file without the entry. Throws CORRUPT. */
export const withoutEntry = (text: string, client: Client): string =>
  formatOf(client).withoutEntry(text, client);

/** The text that a person can add to the file by hand. */
export const blockOf = (client: Client, entry: Entry): string =>
  formatOf(client).blockOf(client, entry);
