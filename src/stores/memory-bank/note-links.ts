/** Links between notes: Markdown links with a path, and wiki links such as `[[plan]]`, as Obsidian writes them. */
import { posix } from 'node:path';
import { undefinedIfUnreadable } from '../../base/errors.js';
import type { MemoryBank } from './memory-bank.js';

const MARKDOWN_LINK = /\]\(\s*(?:<([^>\n]+)>|([^\s()]+))/g;
const WIKI_LINK = /\[\[([^\]|#\n]+)/g;

/** The paths of the notes with a link to `old`, a note that is now `renamed`. Unreadable notes are left out. */
export async function notesWithOldLink(
  bank: MemoryBank,
  { old, renamed }: { old: string; renamed: string },
): Promise<string[]> {
  const names = namesOf(old).filter((name) => !namesOf(renamed).includes(name));
  const found: string[] = [];
  // The rename is done already, so what cannot be read is no reason to fail.
  await undefinedIfUnreadable(bank.refresh());
  for (const { path } of bank.known()) {
    const note = await undefinedIfUnreadable(bank.read(path));
    const linked = note && linkedFrom(path, note.content);
    if (linked?.some((name) => names.includes(name))) found.push(path);
  }
  return found;
}

/** A wiki link may have only the last part of the path. */
const namesOf = (path: string) => [nameOf(path), posix.basename(nameOf(path))];

const nameOf = (path: string) => path.normalize('NFC').replace(/\.md$/i, '');

function linkedFrom(path: string, text: string): string[] {
  const markdown = [...text.matchAll(MARKDOWN_LINK)].map(([, quoted, plain = quoted ?? '']) =>
    posix.join(posix.dirname(path), fileOf(plain)),
  );
  const wiki = [...text.matchAll(WIKI_LINK)].map(([, target = '']) => target.trim());
  return [...markdown, ...wiki].map(nameOf);
}

/** The file that the address of a Markdown link names. */
function fileOf(target: string): string {
  const file = target.replace(/[?#].*$/, '');
  try {
    return decodeURIComponent(file);
  } catch {
    return file; // a percent sign that is no escape
  }
}
