/**
 * Daybook's entry in the settings file of an MCP client: reading, adding, changing and removing it.
 * Comments, other entries and the layout of the file stay. A file that cannot be changed without a
 * doubt is refused with CORRUPT, never guessed at.
 */
import type { Client, Entry } from './clients.js';
import { jsonEntries } from './json-entry.js';
import { tomlEntries } from './toml-entry.js';

const formatOf = ({ format }: Client) => (format === 'toml' ? tomlEntries : jsonEntries);

/** The entry that is there. CORRUPT. */
export const readEntry = (text: string, client: Client): Entry | undefined =>
  formatOf(client).readEntry(text, client);

/** The file's text with the entry in it; the same text where nothing differs. CORRUPT. */
export const withEntry = (text: string, client: Client, entry: Entry): string =>
  formatOf(client).withEntry(text, client, entry);

/** The file's text without the entry. CORRUPT. */
export const withoutEntry = (text: string, client: Client): string =>
  formatOf(client).withoutEntry(text, client);

/** What a person would add by hand. */
export const blockOf = (client: Client, entry: Entry): string =>
  formatOf(client).blockOf(client, entry);
