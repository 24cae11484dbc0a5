/**
 * Runs the checks of the store one after the other and collects their findings. `repair` then runs the
 * repairs of the findings. If a check fails, its step has the error, and the other checks still run.
 */
import type { Clock } from '../base/clock.js';
import { isAppError } from '../base/errors.js';
import type { Check, Finding, Found } from './check.js';

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** What the user can do. */
  readonly hint: string;
}

export interface Step {
  readonly check: string;
  readonly durationMs: number;
  /** The number of checked files or entries. */
  readonly checked: number;
  readonly findings: readonly Finding[];
  /** Why the check did not finish. */
  readonly error?: Failure;
}

export interface RepairOutcome {
  readonly check: string;
  readonly path: string;
  /** A sentence about what was done. */
  readonly done?: string;
  /** Why the repair failed. */
  readonly error?: Failure;
}

export interface Examination {
  readonly steps: readonly Step[];
  /** Runs the repairs of all repairable findings, one after the other. */
  repair(
    signal: AbortSignal,
    onOutcome?: (outcome: RepairOutcome) => void,
  ): Promise<RepairOutcome[]>;
}

export interface ExamineOptions {
  readonly signal: AbortSignal;
  /** Additional checks. */
  readonly also?: readonly Check[];
  onStep?(step: Step): void;
}

type Repair = { readonly check: string; readonly path: string; run(): Promise<string> };

export class Doctor {
  readonly #checks: () => readonly Check[];
  readonly #clock: Clock;

  /** `checks` makes new ones for each examination, because a later check may use what an earlier one read. */
  constructor(checks: () => readonly Check[], clock: Clock) {
    this.#checks = checks;
    this.#clock = clock;
  }

  /** Runs all checks. Changes nothing. Throws the signal's reason if it is aborted. */
  async examine({ signal, also = [], onStep }: ExamineOptions): Promise<Examination> {
    const steps: Step[] = [];
    const repairs: Repair[] = [];
    for (const check of [...this.#checks(), ...also]) {
      signal.throwIfAborted();
      const step = await this.#step(check, signal, repairs);
      steps.push(step);
      onStep?.(step);
    }
    return { steps, repair: (stop, onOutcome) => repairAll(repairs, stop, onOutcome) };
  }

  async #step(check: Check, signal: AbortSignal, repairs: Repair[]): Promise<Step> {
    const began = this.#clock.monotonic();
    const findings: Finding[] = [];
    let checked = 0;
    const found = ({ repair, ...finding }: Found) => {
      findings.push({ check: check.name, ...finding, repairable: repair !== undefined });
      if (repair) repairs.push({ check: check.name, path: finding.path, run: repair });
    };
    const countChecked = (count = 1) => (checked += count);
    const result = await check.run({ signal, found, countChecked }).catch(failureOf);
    const durationMs = Math.round(this.#clock.monotonic() - began);
    return { check: check.name, durationMs, checked, findings, ...result };
  }
}

async function repairAll(
  repairs: readonly Repair[],
  signal: AbortSignal,
  onOutcome?: (outcome: RepairOutcome) => void,
): Promise<RepairOutcome[]> {
  const outcomes: RepairOutcome[] = [];
  for (const { check, path, run } of repairs) {
    signal.throwIfAborted();
    const result = await run().then((done) => ({ done }), failureOf);
    const outcome = { check, path, ...result };
    outcomes.push(outcome);
    onOutcome?.(outcome);
  }
  return outcomes;
}

function failureOf(error: unknown): { readonly error: Failure } {
  if (!isAppError(error) || error.code === 'CANCELLED') throw error;
  const { code, message, hint } = error;
  return { error: { code, message, hint } };
}

/** Returns the exit status: 0: nothing to do; 1: findings other than notes; 2: a check did not finish. */
export function statusOf(steps: readonly Step[]): 0 | 1 | 2 {
  if (steps.some(({ error }) => error !== undefined)) return 2;
  const isFound = steps.some(({ findings }) =>
    findings.some(({ severity }) => severity !== 'note'),
  );
  return isFound ? 1 : 0;
}
