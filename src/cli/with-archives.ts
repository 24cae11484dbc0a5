/**
 * Runs one command on the archived conversations. They are unpacked into a private folder of the root,
 * which is removed afterwards. The index is not cached, and no vectors are made.
 */
import { type App, createApp } from '../app.js';
import { configuration, type Flags } from './options/configuration.js';
import { withRoot } from './terminal/command-line.js';
import { escapeControls } from './terminal/terminal-text.js';
import { withApp } from './with-app.js';

/** Throws the errors of `withApp`. An archive that cannot be read is reported on stderr. */
export async function withArchives(
  flags: Flags,
  work: (app: App, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const unpack = async ({ archives }: App, signal: AbortSignal) => {
    if ((await archives.count()) === 0)
      console.error(withRoot(flags, 'There are no archives. daybook archive makes them.'));
    await archives.unpacked(async (logsDir, problems) => {
      for (const { message } of problems) console.error(escapeControls(message));
      const config = configuration(flags);
      const embeddings = { ...config.embeddings, mode: 'off' as const };
      const app = await createApp(
        { ...config, logsDir, embeddings, indexCache: false },
        { isReading: true, hasArchived: true },
      );
      try {
        await work(app, signal);
      } finally {
        await app.close();
      }
    }, signal);
  };
  await withApp(flags, unpack, { isReading: true, writesElsewhere: true });
}
