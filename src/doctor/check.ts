/**
 * A check of the doctor: a name, and a function that checks one part of the store and reports
 * what it finds. A check changes nothing; the `repair` of a finding loses nothing.
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
  /** Repairs it and returns one sentence about what was done. Absent if a person must decide. */
  repair?(): Promise<string>;
}

export interface Finding extends Omit<Found, 'repair'> {
  /** The name of the check. */
  readonly check: string;
  readonly repairable: boolean;
}

export interface CheckContext {
  readonly signal: AbortSignal;
  /** Adds to the number of things that were checked. */
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
