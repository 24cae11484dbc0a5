/** `daybook backup`: makes the same archive as the tool `backup`. */

import { dirname } from 'node:path';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { assertNotEmpty } from '../../config/given-path.js';
import { isFolder } from '../../files/paths/folders.js';
import { resolveRealPath } from '../../files/safe-access/real-path.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { type AgeOptions, ageRecipientsOf } from '../options/age-encryption-options.js';
import { configuration, type Flags } from '../options/configuration.js';
import { report } from '../terminal/output.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { sizeOf } from '../terminal/sizes.js';
import { escapeControls, oneLine } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

/**
 * The absolute path. A missing folder is created, but not its parent: if that is missing too, a drive may not
 * be connected, or the path may be mistyped. VALIDATION_ERROR.
 */
async function folderFor(to: string): Promise<string> {
  assertNotEmpty(to, '--to');
  const folder = resolveRealPath(to);
  const parent = dirname(folder);
  if (await isFolder(parent)) return folder;
  throw new AppError('VALIDATION_ERROR', `There is no folder ${parent} for the backup.`, {
    hint: 'Nothing was written. Check the path and that the drive is connected, or create the folder first.',
    details: { folder: parent },
  });
}

/**
 * Prints the path of the archive; files that are not in it are listed on stderr. The status is 1 if one was
 * left out because of an error.
 */
export async function backup(
  { to, json, ...options }: { to?: string; json?: boolean } & AgeOptions,
  flags: Flags,
): Promise<void> {
  const age = ageRecipientsOf(options, configuration(flags));
  await withApp(flags, async ({ backups }, signal) => {
    const folder = to === undefined ? undefined : await folderFor(to);
    const made = await withProgressBar((show) => {
      const onFile = (progress: number) => show({ progress, unit: 'file' });
      return backups.make({ folder, age, signal, onFile });
    });
    report(made, json, () => {
      console.log(made.path);
      console.log(
        `${countOf(made.files, 'file')}, ${sizeOf(made.sizeBytes)}. The archive was read back and compared with the files.`,
      );
      for (const name of made.removed) console.log(escapeControls(`removed ${name}`));
    });
    for (const { name, reason } of made.leftOut) {
      console.error(oneLine(`left out: ${name}: ${reason}`));
    }
    if (!made.isComplete) {
      console.error('The backup is not complete. Remove the cause, then run the command again.');
      process.exitCode = NOTHING_FOUND;
    }
    for (const { name, reason } of made.notRemoved) {
      console.error(oneLine(`not removed: ${name}: ${reason}`));
    }
  });
}
