/**
 * Writes `.gitignore` and `.gitattributes` in a folder of notes or of the graph: the files that git ignores,
 * and those that it merges with the union driver. Lines that a person added are not changed.
 */
import { join } from 'node:path';
import { type Durability, makeFolder } from '../files/atomic/atomic-write.js';
import { withLock } from '../files/locks/file-lock.js';
import { locksFolderIn } from '../files/locks/lock-folders.js';
import { readWhole } from '../files/read/whole-file.js';

export interface GitRules {
  /** Additional lines of `.gitignore`. */
  readonly ignored: readonly string[];
  /** Additional lines of `.gitattributes`. */
  readonly attributes: readonly string[];
}

/** Removed (decision 0017): with this line of earlier versions git kept both sides of a changed line. */
const OBSOLETE = ['*.md merge=union'];

/**
 * Two clones may create these files with the lines in different orders, so git must merge them with `union`.
 */
const OWN_FILES = ['.gitattributes', '.gitignore'].map((name) => `${name} merge=union`);

/** Adds the lines that are missing and removes obsolete ones. FILESYSTEM_ERROR, STORAGE_FULL, LOCKED. */
export async function writeGitFiles(
  folder: string,
  { ignored, attributes }: GitRules,
  durability: Durability,
): Promise<void> {
  await makeFolder(folder, durability);
  await ensureLines(folder, '.gitignore', ['.locks/', '.tmp-*', ...ignored], durability);
  await ensureLines(folder, '.gitattributes', [...OWN_FILES, ...attributes], durability);
}

async function ensureLines(
  folder: string,
  name: string,
  wanted: readonly string[],
  durability: Durability,
): Promise<void> {
  const path = join(folder, name);
  if ((await rewritten(path, wanted)) === undefined) return;
  await withLock(locksFolderIn(folder), `git${name}`, async (lock) => {
    const next = await rewritten(path, wanted);
    if (next !== undefined) await lock.replace(path, Buffer.from(next), durability);
  });
}

/** Returns the text that the file must have; `undefined` if it has this text already. */
async function rewritten(path: string, wanted: readonly string[]): Promise<string | undefined> {
  const text = (await readWhole(path))?.bytes.toString() ?? '';
  const isObsolete = (line: string) => OBSOLETE.includes(line.trim());
  const lines = text.split(/(?<=\n)/);
  const remaining = lines.filter((line) => !isObsolete(line)).join('');
  const present = new Set(remaining.split(/\r?\n/).map((line) => line.trim()));
  const missing = wanted.filter((line) => !present.has(line));
  const gap = missing.length === 0 || remaining === '' || remaining.endsWith('\n') ? '' : '\n';
  const next = `${remaining}${gap}${missing.map((line) => `${line}\n`).join('')}`;
  return next === text ? undefined : next;
}
