/**
 * Reads the files of the built page into memory. A request is only looked up in this map: its path is
 * never joined to a folder, so it cannot read other files.
 */
import { join } from 'node:path';
import { listFiles } from '../../../files/paths/folders.js';
import { readGivenText } from '../../../files/safe-access/given-file.js';

export interface PageFile {
  readonly type: string;
  readonly text: string;
  /** True if the name contains a hash of the content, so a browser can cache the file. */
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

/** By path of the URL; `/` is index.html. Empty if the page was not built. Throws FILESYSTEM_ERROR. */
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
