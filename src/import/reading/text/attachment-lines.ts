/** Names files of an export in the text of messages, at the place where they were. */

import { objectIn, textIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';

/** A file of the export. */
interface NamedFile {
  readonly path: string;
  /** The name that the file had before the export, if it has another one in the export. */
  readonly title: string | undefined;
}

/** Finds a file by the id that messages use for it. */
export type NamedFiles = (id: string) => NamedFile | undefined;

/** The names of files in exports are, or begin with, ids such as `file-AbC123`. `titles`: by these names. */
export function attachmentNames(
  files: readonly InputFile[],
  titles: ReadonlyMap<string, string>,
): NamedFiles {
  const byId = new Map<string, NamedFile>();
  for (const { name: path } of files) {
    const base = path.slice(path.lastIndexOf('/') + 1);
    const id = /^(file[-_][A-Za-z0-9]+)/.exec(base)?.[1];
    if (id !== undefined && !byId.has(id)) byId.set(id, { path, title: titles.get(base) });
  }
  return (id) => {
    const key = /(file[-_][A-Za-z0-9]+)/.exec(id)?.[1];
    return key === undefined ? undefined : byId.get(key);
  };
}

/** One line such as `[image: cat.png]` or `[file: report.pdf (files/report.pdf)]`. */
export function attachmentLine(kind: string, name: string, path?: string): string {
  const plain = name.replace(/[\r\n\]]+/g, ' ');
  return path === undefined || path === plain
    ? `[${kind}: ${plain}]`
    : `[${kind}: ${plain} (${path})]`;
}

/** Objects inside the description of a file that may have its name or its type. */
const PLACES = ['file', 'image_file', 'inlineData', 'fileData', 'source'];
const NAMES = [
  ...['file_name', 'filename', 'fileName', 'name', 'filepath', 'fileUri'],
  ...['file_id', 'file_uuid'],
];
/** Names of a part whose type says that it is a file. */
const OTHER_NAMES = ['title', 'displayName', 'path', 'uri', 'url'];
const TYPES = ['mimeType', 'media_type', 'mime_type', 'type', 'content_type', 'file_kind'];

/**
 * The line for a part of a message that is a file, from the fields that programs use for its name and type;
 * `undefined` if the part is no file.
 */
export function fileLine(part: JsonObject): string | undefined {
  const places = [part, ...PLACES.map((name) => objectIn(part[name]))];
  const first = (names: readonly string[]) =>
    places.flatMap((place) => names.flatMap((name) => textIn(place[name]) ?? []));
  const types = first(TYPES).join(' ');
  const kind = /image|audio|video/.exec(types)?.[0];
  const isFile = /file|document|application\/|text\//.test(types);
  const isTyped = kind !== undefined || isFile;
  const name = first(isTyped ? [...NAMES, ...OTHER_NAMES] : NAMES).find(
    (text) => !text.startsWith('data:'),
  );
  if (name !== undefined) return attachmentLine(kind ?? 'file', name);
  return isTyped ? `[${kind ?? 'file'}]` : undefined;
}
