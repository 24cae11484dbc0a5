/**
 * Runs one command on the stores: opens them, ends the command at Ctrl-C without a half result,
 * and closes them whatever happens.
 */
import { type App, createApp } from '../app.js';
import { AppError, isAppError } from '../base/errors.js';
import { configuration, type Flags } from './configuration.js';

/** Throws what `work` throws; CANCELLED after a signal. */
export async function withApp(
  flags: Flags,
  work: (app: App, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const config = configuration(flags);
  for (const notice of config.notices) console.error(notice);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSignal);
  const app = await createApp(config);
  try {
    await work(app, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted || isAppError(error)) throw error;
    throw new AppError('CANCELLED', 'Stopped.', { cause: error });
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
    await app.close();
  }
}
