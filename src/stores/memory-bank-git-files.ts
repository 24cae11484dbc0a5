/**
 * What git has to know in a folder of the memory bank: which files it leaves alone, and which it
 * merges by putting the lines of both sides together. Lines of a person's own stay.
 */
import { join } from 'node:path';
import { type Durability, makeFolder } from '../files/atomic-write.js';
import { withLock } from '../files/file-lock.js';
import { readWhole } from '../files/json-doc.js';

export interface GitRules {
  /** Lines of `.gitignore`. */
  readonly ignored: readonly string[];
  /** Lines of `.gitattributes`. */
  readonly attributes: readonly string[];
}

/** Two clones may begin these files each for itself, with the lines in different orders. */
const OWN_FILES = ['.gitattributes', '.gitignore'].map((name) => `${name} merge=union`);

/** Adds the lines that are missing. FILESYSTEM_ERROR, STORAGE_FULL, LOCKED. */
export async function writeGitFiles(
  folder: string,
  { ignored, attributes }: GitRules,
  durability: Durability,
): Promise<void> {
  await makeFolder(folder, durability);
  await addLines(folder, '.gitignore', ['.locks/', '.tmp-*', ...ignored], durability);
  await addLines(folder, '.gitattributes', [...OWN_FILES, ...attributes], durability);
}

async function addLines(
  folder: string,
  name: string,
  wanted: readonly string[],
  durability: Durability,
): Promise<void> {
  const path = join(folder, name);
  if ((await missingLines(path, wanted)).missing.length === 0) return;
  await withLock(join(folder, '.locks'), `git${name}`, async (lock) => {
    const { text, missing } = await missingLines(path, wanted);
    const gap = text === '' || text.endsWith('\n') ? '' : '\n';
    const next = `${text}${gap}${missing.map((line) => `${line}\n`).join('')}`;
    if (missing.length > 0) await lock.replace(path, Buffer.from(next), durability);
  });
}

async function missingLines(path: string, wanted: readonly string[]) {
  const text = (await readWhole(path))?.bytes.toString() ?? '';
  const present = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  return { text, missing: wanted.filter((line) => !present.has(line)) };
}
