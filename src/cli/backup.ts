/**
 * `daybook backup`: what the tool `backup` does, for people and for schedulers.
 */
import { resolve } from 'node:path';
import type { Flags } from './configuration.js';
import { progressBar } from './progress-bar.js';
import { countOf, tell } from './tell.js';
import { withApp } from './with-app.js';

/** Prints the path of the archive; what is not in it goes to stderr. */
export async function backup(
  { to, json }: { to?: string; json?: boolean },
  flags: Flags,
): Promise<void> {
  await withApp(flags, async ({ backups }, signal) => {
    const folder = to === undefined ? undefined : resolve(to);
    const bar = progressBar(process.stderr);
    const onFile = (progress: number) => bar.show({ progress, message: 'files' });
    const report = await backups.make({ folder, signal, onFile }).finally(() => bar.clear());
    tell(report, json, () => {
      console.log(report.path);
      console.log(
        `${countOf(report.files, 'file')}, ${report.sizeBytes} bytes, read back and compared.`,
      );
      for (const name of report.removed) console.log(`removed ${name}`);
    });
    for (const { name, reason } of report.leftOut) console.error(`not in it: ${name}: ${reason}`);
  });
}
