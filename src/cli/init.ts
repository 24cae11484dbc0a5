/**
 * `daybook init`: makes the folders of a root and records it in the user's own configuration
 * folder. The record, not the presence of the folders, is what makes a folder a root.
 */
import { dirname, join } from 'node:path';
import { createApp } from '../app.js';
import { assertKeepsData, configFolder, foldersFile, parseFolders } from '../config.js';
import { atomicWrite, makeFolder } from '../files/atomic-write.js';
import { readTextIfPresent } from '../files/user-files.js';
import { configuration, type Flags } from './configuration.js';

/** Makes and registers `folder`; doing it again changes nothing. */
export async function init(folder: string, flags: Flags): Promise<void> {
  const config = configuration({ ...flags, root: folder });
  assertKeepsData(config.root, 'The folder');
  await makeFolder(join(config.root, 'memory-bank'));
  const app = await createApp(config);
  await app.close();
  await register(config.root);
  console.log(`Daybook keeps its files in ${config.root}`);
  console.log(`  conversations: ${config.logsDir}`);
  console.log(`It is used whenever Daybook starts in or below that folder.`);
}

async function register(root: string): Promise<void> {
  const path = foldersFile(configFolder());
  const folders = parseFolders(readTextIfPresent(path), path);
  if (folders.includes(root)) return;
  const text = `${JSON.stringify({ folders: [...folders, root] }, null, 2)}\n`;
  await makeFolder(dirname(path));
  await atomicWrite(path, Buffer.from(text), { fsync: true });
}
