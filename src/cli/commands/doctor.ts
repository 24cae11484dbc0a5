/**
 * `daybook doctor`: checks all stored files and what they depend on, and shows what to do. `--repair`
 * makes the repairs that lose no data. Exit status 0: no problem; 1: problems; 2: a check failed.
 */
import { countOf } from '../../base/text/display-text.js';
import type { Finding } from '../../doctor/check.js';
import { type Examination, type RepairOutcome, type Step, statusOf } from '../../doctor/doctor.js';
import { clientCheck } from '../doctor-checks/clients.js';
import { configurationCheck } from '../doctor-checks/configuration.js';
import { withPath } from '../notices/problems.js';
import { configuration, type Flags } from '../options/configuration.js';
import { withRoot } from '../terminal/command-line.js';
import { confirm, requireTerminal } from '../terminal/confirm.js';
import { type ConsentOptions, report } from '../terminal/output.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { oneLine } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

export interface DoctorOptions extends ConsentOptions {
  readonly repair?: boolean;
}

/** Findings of one check; `--json` shows all. */
const MAX_SHOWN = 10;
const NAME_WIDTH = 20;
/** The width of the state of a check, which is also the indent of its findings. */
const INDENT = 9;

/** Throws VALIDATION_ERROR for a repair that the user cannot confirm, because there is no terminal. */
export async function doctor(options: DoctorOptions, flags: Flags): Promise<void> {
  const { repair = false, json } = options;
  const config = configuration(flags);
  await withApp(
    flags,
    async (app, signal) => {
      const also = [configurationCheck(config, app.unusedKey), clientCheck(config.root)];
      const examine = () =>
        withProgressBar((show) => {
          const onStep = ({ check }: Step) => show({ progress: 0, message: check });
          return app.doctor.examine({ signal, also, onStep });
        });
      const first = await examine();
      if (!json) printSteps(first.steps, flags);
      const outcomes = repair ? await repairAll(first, options, signal) : [];
      const { steps } = outcomes.length > 0 ? await examine() : first;
      process.exitCode = statusOf(steps);
      const findings = steps.flatMap((step) => step.findings);
      report({ root: config.root, steps, repaired: outcomes }, json, () => {
        for (const outcome of outcomes) console.log(outcomeLine(outcome));
        console.log(withRoot(flags, closingLine(steps, findings, outcomes)));
      });
    },
    { isReading: !repair },
  );
}

async function repairAll(
  examination: Examination,
  { yes = false }: DoctorOptions,
  signal: AbortSignal,
): Promise<RepairOutcome[]> {
  const { length } = repairable(examination.steps);
  if (length === 0) return [];
  if (!yes) requireTerminal('Nothing was changed.');
  if (!yes && !(await confirm(`Repair ${countOf(length, 'finding')}?`))) return [];
  return examination.repair(signal);
}

const repairable = (steps: readonly Step[]) =>
  steps.flatMap(({ findings }) => findings.filter((finding) => finding.repairable));

function printSteps(steps: readonly Step[], flags: Flags): void {
  for (const { check, checked, durationMs, findings, error } of steps) {
    const time = `${(durationMs / 1000).toFixed(2)} s`;
    const state = stateOf(findings, error);
    console.log(`${state.padEnd(INDENT)}${check.padEnd(NAME_WIDTH)}${checked} checked, ${time}`);
    if (error) {
      printIndented(`The check failed: ${error.message}`);
      printIndented(withRoot(flags, error.hint), 2);
    }
    const shown = findings.slice(0, MAX_SHOWN);
    for (const [at, finding] of shown.entries()) printFinding(finding, shown[at + 1], flags);
    if (findings.length > MAX_SHOWN) {
      const more = `${findings.length - MAX_SHOWN} more: daybook doctor --json shows all`;
      printIndented(withRoot(flags, more));
    }
  }
}

function stateOf(findings: readonly Finding[], error: Step['error']): string {
  if (error) return 'failed';
  if (findings.some(isProblem)) return 'problem';
  return findings.length > 0 ? 'note' : 'ok';
}

const printIndented = (text: string, more = 0) =>
  console.log(`${' '.repeat(INDENT + more)}${oneLine(text)}`);

const isProblem = ({ severity }: Finding) => severity !== 'note';

/** Advice that `next` has too is printed after the last finding that has it. */
function printFinding(finding: Finding, next: Finding | undefined, flags: Flags): void {
  const { severity, path, message } = finding;
  printIndented(`${severity}: ${withPath(path, message)}`);
  const advice = adviceOf(finding);
  if (next === undefined || adviceOf(next) !== advice) printIndented(withRoot(flags, advice), 2);
}

const adviceOf = ({ repairable: canRepair, hint }: Finding) =>
  `${canRepair ? '(can be repaired) ' : ''}${hint}`;

const outcomeLine = ({ path, done, error }: RepairOutcome) =>
  oneLine(error ? `not repaired: ${withPath(path, error.message)}` : `repaired: ${path}: ${done}`);

function closingLine(
  steps: readonly Step[],
  findings: readonly Finding[],
  outcomes: readonly RepairOutcome[],
): string {
  const problems = findings.filter(isProblem).length;
  const canRepair = repairable(steps).length;
  const failed = steps.filter(({ error }) => error !== undefined).length;
  const counts = [
    ...(failed > 0 ? [`${countOf(failed, 'check')} failed.`] : []),
    ...(problems > 0 ? [`${countOf(problems, 'problem')}.`] : []),
  ];
  const sum = counts.length === 0 ? 'There are no problems.' : counts.join(' ');
  if (outcomes.length > 0 || canRepair === 0) return sum;
  return `${sum} ${countOf(canRepair, 'finding')} can be repaired: run daybook doctor --repair`;
}
