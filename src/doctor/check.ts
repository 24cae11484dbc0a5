/**
 * The interface of a check of `daybook doctor`: a name, and a function that checks one part of the store and
 * reports findings. A check changes nothing. The `repair` of a finding never loses data.
 */
import { type AppError, isAppError } from '../base/errors.js';

/** `error`: data cannot be read. `warning`: the user should do something. `note`: information. */
export type Severity = 'error' | 'warning' | 'note';

export interface Found {
  readonly severity: Severity;
  /** The absolute path. */
  readonly path: string;
  /** The finding, as one sentence. */
  readonly message: string;
  /** What the user can do. */
  readonly hint: string;
  /** Repairs it and returns a sentence about the result. Absent if the user must decide. */
  repair?(): Promise<string>;
}

export interface Finding extends Omit<Found, 'repair'> {
  /** The name of the check. */
  readonly check: string;
  readonly repairable: boolean;
}

export interface CheckContext {
  readonly signal: AbortSignal;
  /** Adds to the number of checked entries. */
  countChecked(count?: number): void;
  found(finding: Found): void;
}

export interface Check {
  readonly name: string;
  run(context: CheckContext): Promise<void>;
}

/** Whether something cannot be read: the system refuses it, or it is a link, which Daybook does not follow. */
export const isUnreadable = (error: unknown): error is AppError =>
  isAppError(error, 'FILESYSTEM_ERROR', 'PATH_ESCAPE');

/** Runs one part of a check. If it cannot read something, this is a finding, so that the check goes on. */
export async function orFinding(
  found: CheckContext['found'],
  path: string,
  part: () => Promise<void>,
): Promise<void> {
  try {
    await part();
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    found(unreadable(error, path));
  }
}

/** Returns the finding for a file that cannot be read. */
export const unreadable = ({ message, hint }: AppError, path: string): Found => ({
  severity: 'error',
  path,
  message,
  hint,
});
