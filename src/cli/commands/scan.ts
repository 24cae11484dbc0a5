/** `daybook scan`: finds keys and passwords in well-known formats. Exit status 1 if there are any. */
import { countOf } from '../../base/text/display-text.js';
import { graphPathsOf } from '../../maintenance/graph-in-archive.js';
import { type StoredSecret, scanFolders } from '../../privacy/scan.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { withPath } from '../notices/problems.js';
import { configuration, type Flags } from '../options/configuration.js';
import { withRoot } from '../terminal/command-line.js';
import { report } from '../terminal/output.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { oneLine } from '../terminal/terminal-text.js';
import { withReadingApp } from '../with-app.js';

interface Unread {
  readonly path: string;
  readonly reason: string;
}

/** Prints the place and the beginning of each secret, never the whole secret. */
export async function scan({ json }: { json?: boolean }, flags: Flags): Promise<void> {
  const { logsDir, root } = configuration(flags);
  await withReadingApp(flags, async ({ archives, kg, memoryBank, sealer }, signal) => {
    const secrets: StoredSecret[] = [];
    const unread: Unread[] = [];
    let files = 0;
    await withProgressBar(async (show) => {
      const onFile = () => show({ progress: ++files, unit: 'file' });
      const otherFiles = graphPathsOf(kg.files).values();
      const onUnread = (file: Unread) => unread.push(file);
      const options = { sealer, otherFiles, signal, onFile, onUnread };
      const folders = [logsDir, memoryBank.folder, archives.folder];
      for await (const secret of scanFolders(folders, options)) {
        secrets.push(secret);
      }
    });
    if (secrets.length > 0) process.exitCode = NOTHING_FOUND;
    report({ root, files, secrets, unread }, json, () => {
      print(secrets, files - unread.length, flags);
      for (const { path, reason } of unread)
        console.log(oneLine(`not read: ${withPath(path, reason)}`));
    });
  });
}

function print(secrets: readonly StoredSecret[], files: number, flags: Flags): void {
  for (const { path, place, kind, shown } of secrets) {
    const where = place === undefined ? path : `${path}, ${place}`;
    console.log(oneLine(`${where}: ${kind} (${shown})`));
  }
  const filesRead = `${countOf(files, 'file')} read`;
  if (secrets.length === 0) {
    console.log(`No secret in a well-known format was found: ${filesRead}.`);
    return;
  }
  console.log(`${countOf(secrets.length, 'secret')}, ${filesRead}.`);
  const next =
    'Revoke each secret at the service that issued it. To remove it from the store, run daybook redact.';
  console.log(withRoot(flags, next));
}
