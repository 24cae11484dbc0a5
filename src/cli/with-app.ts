/** Opens the stores, runs one command, and closes the stores, also after an error or Ctrl-C. */
import { type App, createApp } from '../app.js';
import { AppError, type ErrorCode, isAppError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { isFolder } from '../files/paths/folders.js';
import { readStamp } from '../files/read/stamp.js';
import { resolveRealPath } from '../files/safe-access/real-path.js';
import { shellLine } from './clients/shell-line.js';
import { NOTHING_FOUND, statusOf } from './errors/exit-status.js';
import { ROOT_CHOICES, reportOtherRoot } from './notices/other-root.js';
import { configuration, type Flags } from './options/configuration.js';
import { catchInterrupts, type Interrupts } from './terminal/interrupts.js';

/** Errors for something that may be in the trash. */
const LOCATED: readonly ErrorCode[] = ['CONVERSATION_NOT_FOUND', 'E_MB_FILE_NOT_FOUND'];

export interface Opening {
  /** The command changes nothing and creates no folder. */
  readonly isReading?: boolean;
  /** The command writes a file outside the store, and finishes or removes it at Ctrl-C. */
  readonly writesElsewhere?: boolean;
  /** The command may create the root. Other commands may not, so that a wrong --root creates no folder. */
  readonly mayCreateRoot?: boolean;
  /** The command runs for a long time, during which the store may be away. It then creates no other one. */
  readonly staysUp?: boolean;
}

/** Throws the errors of `work`, CANCELLED after a signal, and VALIDATION_ERROR if the root does not exist. */
export async function withApp(
  flags: Flags,
  work: (app: App, signal: AbortSignal) => Promise<void>,
  {
    isReading = false,
    writesElsewhere = false,
    mayCreateRoot = false,
    staysUp = false,
  }: Opening = {},
): Promise<void> {
  const config = configuration(flags);
  for (const notice of config.notices) console.error(notice);
  if (!mayCreateRoot) await requireRoot(config);
  const { signal, release } = isReading && !writesElsewhere ? UNCAUGHT : catchInterrupts();
  try {
    const app = await createApp(config, { isReading, listsFromCache: true, staysUp });
    await work(app, signal)
      .catch(async (error: unknown) => {
        if (!isAppError(error, ...LOCATED)) throw error;
        const { withLocation } = await import('./notices/not-listed.js');
        throw await withLocation(error, app, flags, signal);
      })
      .finally(() => app.close());
  } catch (error) {
    if (isAppError(error) && statusOf(error) === NOTHING_FOUND) await reportOtherRoot(config);
    if (!signal.aborted || isAppError(error)) throw error;
    throw new AppError('CANCELLED', 'Stopped.', { cause: error });
  } finally {
    release();
  }
}

/** `withApp` for a command that changes nothing. */
export const withReadingApp = (
  flags: Flags,
  work: (app: App, signal: AbortSignal) => Promise<void>,
): Promise<void> => withApp(flags, work, { isReading: true });

/** Without handlers: a signal ends the process at once. */
const UNCAUGHT: Interrupts = { signal: new AbortController().signal, release: () => undefined };

/** Throws VALIDATION_ERROR if a configured root is no folder. The first write creates the default root. */
export async function requireRoot({ root, rootSource }: Config): Promise<void> {
  if (rootSource === 'home' || (await isFolder(root))) return;
  if ((await readStamp(resolveRealPath(root))) !== undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      `${root} is not a folder (${ROOT_CHOICES[rootSource]}).`,
    );
  }
  throw new AppError(
    'VALIDATION_ERROR',
    `There is no folder ${root} (${ROOT_CHOICES[rootSource]}).`,
    {
      hint: `Nothing was created. Check the path. If the folder was moved, run: daybook init NEW-FOLDER --replace. To create it, run: ${shellLine(['daybook', 'init', root])}`,
      details: { root, rootSource },
    },
  );
}
