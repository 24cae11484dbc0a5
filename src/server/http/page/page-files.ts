/**
 * The built page in memory: a few files of this package, read once. Names that are not in the folder
 * do not exist, so no path of a request is ever joined to a folder.
 */
import { join } from 'node:path';
import { listFiles } from '../../../files/paths/folders.js';
import { readGivenText } from '../../../files/safe-access/given-file.js';

export interface PageFile {
  readonly type: string;
  readonly text: string;
  /** Its name changes with its content. */
  readonly isConstant: boolean;
}

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};
const ASSETS = 'assets';

/** By address, `/` for the page itself. Empty where it was not built. FILESYSTEM_ERROR. */
export async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (const part of ['', ASSETS]) {
    for (const name of await listFiles(join(folder, part))) {
      const type = TYPES[name.split('.').at(-1) ?? ''];
      if (type === undefined) continue;
      const text = readGivenText(join(folder, part, name));
      const address = name === 'index.html' ? '/' : `/${part === '' ? '' : `${part}/`}${name}`;
      files.set(address, { type, text, isConstant: part === ASSETS });
    }
  }
  return files;
}
