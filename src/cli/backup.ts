/**
 * `daybook backup`: what the tool `backup` does, for people and for schedulers.
 */
import { resolve } from 'node:path';
import type { Flags } from './configuration.js';
import { withApp } from './with-app.js';

/** Prints the path of the archive; what is not in it goes to stderr. */
export async function backup(to: string | undefined, flags: Flags): Promise<void> {
  await withApp(flags, async ({ backups }, signal) => {
    const folder = to === undefined ? undefined : resolve(to);
    const report = await backups.make({ folder, signal });
    console.log(report.path);
    console.log(`${report.files} files, ${report.sizeBytes} bytes, read back and compared.`);
    for (const name of report.removed) console.log(`removed ${name}`);
    for (const { name, reason } of report.leftOut) console.error(`not in it: ${name}: ${reason}`);
  });
}
