/** Names files of an export in the text of messages, at the place where they were. */
import type { InputFile } from '../../files/input/input-types.js';

/** Path of a file in the export, by the id that messages use for it. */
export type NamedFiles = (id: string) => string | undefined;

/** The names of files in exports are, or begin with, ids such as `file-AbC123`. */
export function attachmentNames(files: readonly InputFile[]): NamedFiles {
  const byId = new Map<string, string>();
  for (const { name } of files) {
    const base = name.slice(name.lastIndexOf('/') + 1);
    const id = /^(file[-_][A-Za-z0-9]+)/.exec(base)?.[1];
    if (id !== undefined && !byId.has(id)) byId.set(id, name);
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
