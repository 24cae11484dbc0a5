/** Files inside an export: the text names them where they stood, with their path in the export. */
import type { InputFile } from '../../files/input/input-types.js';

/** Paths in the export by the id with which messages refer to a file. */
export type NamedFiles = (id: string) => string | undefined;

/** Ids such as `file-AbC123` begin or make up the names of files in exports. */
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

/** `[image: cat.png]`, `[file: report.pdf (files/report.pdf)]`: one line of the text. */
export function attachmentLine(kind: string, name: string, path?: string): string {
  const plain = name.replace(/[\r\n\]]+/g, ' ');
  return path === undefined || path === plain
    ? `[${kind}: ${plain}]`
    : `[${kind}: ${plain} (${path})]`;
}
