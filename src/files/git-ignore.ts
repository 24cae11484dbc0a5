/**
 * Keeps a private folder out of git by a `.gitignore` inside it, whatever repository it lies in.
 */
import { join } from 'node:path';
import { atomicWrite, type Durability } from './atomic-write.js';
import { readStamp } from './stamp.js';

/** Writes `.gitignore` with `*` where the folder has none; one that a person wrote stays. */
export async function keepOutOfGit(folder: string, durability: Durability): Promise<void> {
  const path = join(folder, '.gitignore');
  if ((await readStamp(path)) !== undefined) return;
  await atomicWrite(path, Buffer.from('*\n'), durability);
}
