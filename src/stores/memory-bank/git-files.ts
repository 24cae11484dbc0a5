/**
 * What git has to know in a folder of the memory bank: which files it leaves alone, and which it
 * merges by putting the lines of both sides together. Lines of a person's own stay.
 */
import { join } from 'node:path';
import { type Durability, makeFolder } from '../../files/atomic/atomic-write.js';
import { withLock } from '../../files/locks/file-lock.js';
import { readWhole } from '../../files/read/json-doc.js';

export interface GitRules {
  /** Lines of `.gitignore`. */
  readonly ignored: readonly string[];
  /** Lines of `.gitattributes`. */
  readonly attributes: readonly string[];
}

/**
 * Earlier versions wrote this line. It joined both sides of a changed line without a conflict, so it
 * is removed (decision 0017).
 */
const OBSOLETE = ['*.md merge=union'];

/** Two clones may begin these files each for itself, with the lines in different orders. */
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
  await withLock(join(folder, '.locks'), `git${name}`, async (lock) => {
    const next = await rewritten(path, wanted);
    if (next !== undefined) await lock.replace(path, Buffer.from(next), durability);
  });
}

/** The file's text as it should be; `undefined` where it is so already. */
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
