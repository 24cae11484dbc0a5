/** `daybook backup`: makes the same archive as the tool `backup`. */
import { countOf } from '../../base/shortened.js';
import { resolveRealPath } from '../../files/safe-access/real-path.js';
import { type AgeOptions, ageLockOf } from '../age-encryption-options.js';
import { configuration, type Flags } from '../configuration.js';
import { report } from '../terminal/output.js';
import { progressBar } from '../terminal/progress-bar.js';
import { escapeControls, oneLine } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

/** Prints the path of the archive; files that are not in it are listed on stderr. */
export async function backup(
  { to, json, ...options }: { to?: string; json?: boolean } & AgeOptions,
  flags: Flags,
): Promise<void> {
  const age = ageLockOf(options, configuration(flags));
  await withApp(flags, async ({ backups }, signal) => {
    const folder = to === undefined ? undefined : resolveRealPath(to);
    const bar = progressBar(process.stderr);
    const onFile = (progress: number) => bar.show({ progress, unit: 'file' });
    const made = await backups.make({ folder, age, signal, onFile }).finally(() => bar.clear());
    report(made, json, () => {
      console.log(made.path);
      console.log(
        `${countOf(made.files, 'file')}, ${made.sizeBytes} bytes. The archive was read back and compared with the files.`,
      );
      for (const name of made.removed) console.log(escapeControls(`removed ${name}`));
    });
    for (const { name, reason } of made.leftOut) {
      console.error(oneLine(`left out: ${name}: ${reason}`));
    }
  });
}
