/**
 * What a check of the doctor is: a name, and a function that looks at one part of the store and tells
 * what it finds. A check changes nothing; what a finding offers as `repair` loses nothing.
 */
import type { AppError } from '../base/errors.js';

/** `error`: data cannot be read. `warning`: something should be done. `note`: good to know. */
export type Severity = 'error' | 'warning' | 'note';

export interface Found {
  readonly severity: Severity;
  /** Absolute. */
  readonly path: string;
  /** What is the case. */
  readonly message: string;
  /** What a person can do. */
  readonly hint: string;
  /** Mends it and tells in one sentence what was done. Absent where a person must decide. */
  repair?(): Promise<string>;
}

export interface Finding extends Omit<Found, 'repair'> {
  /** The name of the check. */
  readonly check: string;
  readonly repairable: boolean;
}

export interface CheckContext {
  readonly signal: AbortSignal;
  /** So many more things were looked at. */
  countChecked(count?: number): void;
  found(finding: Found): void;
}

export interface Check {
  readonly name: string;
  run(context: CheckContext): Promise<void>;
}

/** The finding for a file that cannot be read. */
export const unreadable = ({ message, hint }: AppError, path: string): Found => ({
  severity: 'error',
  path,
  message,
  hint,
});
