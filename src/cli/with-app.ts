/**
 * Runs one command on the stores: opens them, ends the command at Ctrl-C without a half result, and
 * closes them whatever happens.
 */
import { type App, createApp } from '../app.js';
import { AppError, isAppError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { isFolder } from '../files/atomic/edit-user-file.js';
import { shellLine } from './clients/shell-line.js';
import { configuration, type Flags } from './configuration.js';
import { catchInterrupts, type Interrupts } from './terminal/interrupts.js';

export interface Opening {
  /** The command changes nothing, so it creates no folder either. */
  readonly isReading?: boolean;
  /** It reads the store and writes another file, which it finishes or removes at Ctrl-C. */
  readonly writesElsewhere?: boolean;
  /** The command may create the root that --root names; else a typing error would. */
  readonly mayCreateRoot?: boolean;
}

/** Throws what `work` throws; CANCELLED after a signal; VALIDATION_ERROR where there is no such root. */
export async function withApp(
  flags: Flags,
  work: (app: App, signal: AbortSignal) => Promise<void>,
  { isReading = false, writesElsewhere = false, mayCreateRoot = false }: Opening = {},
): Promise<void> {
  const config = configuration(flags);
  for (const notice of config.notices) console.error(notice);
  if (!mayCreateRoot) await requireRoot(config);
  const { signal, release } = isReading && !writesElsewhere ? UNCAUGHT : catchInterrupts();
  try {
    const app = await createApp(config, { isReading, listsFromCache: true });
    await work(app, signal).finally(() => app.close());
  } catch (error) {
    if (!signal.aborted || isAppError(error)) throw error;
    throw new AppError('CANCELLED', 'Stopped.', { cause: error });
  } finally {
    release();
  }
}

/** The system ends the process at a signal. */
const UNCAUGHT: Interrupts = { signal: new AbortController().signal, release: () => undefined };

/** A root that the user named must exist; the default one is created by the first write. */
export async function requireRoot({ root, rootSource }: Config): Promise<void> {
  if (rootSource === 'home' || (await isFolder(root))) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `There is no folder ${root} (${ROOT_CHOICES[rootSource]}).`,
    {
      hint: `Nothing was created. Check the path, or create the folder with: ${shellLine(['daybook', 'init', root])}`,
      details: { root, rootSource },
    },
  );
}

/** What chose the root. */
export const ROOT_CHOICES: Readonly<Record<Config['rootSource'], string>> = {
  flag: 'set with --root',
  environment: 'set in DAYBOOK_ROOT',
  file: 'set in your configuration file',
  registered: 'registered with daybook init',
  home: 'the default',
};
