/** The least that a durable replace can cost: what writes are measured against. */
import { closeSync, fsync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const syncFile = promisify(fsync);

/**
 * `bytes` to a temporary file in `folder`, fsync, rename, fsync of the folder; waiting for the disk off
 * the main thread, as the store does.
 */
export async function replaceFloor(folder, bytes, isSynced) {
  const temporary = join(folder, 'temporary');
  const file = openSync(temporary, 'w', 0o600);
  writeSync(file, bytes, 0, bytes.length, 0);
  if (isSynced) await syncFile(file);
  closeSync(file);
  renameSync(temporary, join(folder, 'target'));
  if (!isSynced) return;
  const handle = openSync(folder, 'r');
  await syncFile(handle);
  closeSync(handle);
}
