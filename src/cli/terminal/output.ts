/** Prints the result of a command as JSON, or as lines for people. Of a long list it prints the first lines. */
import { countOf } from '../../base/text/display-text.js';
import { terminalJson } from './terminal-text.js';

/** The options of a command that asks before it changes something. */
export interface ConsentOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** The same for a command that first lists what it would change. */
export interface PlanOptions extends ConsentOptions {
  readonly dryRun?: boolean;
  readonly all?: boolean;
}

/** Prints `facts` as JSON if `json` is set, otherwise calls `print`. */
export function report(facts: unknown, json: boolean | undefined, print: () => void): void {
  if (json) console.log(terminalJson(facts));
  else print();
}

/** The maximum number of printed lines without `--all`. */
const MAX_LINES = 20;

export const ALL_OPTION = ['--all', `print all lines, not only the first ${MAX_LINES}`] as const;

/** Prints the first lines, or with `--all` every one. stderr says how many are left. */
export function printList(
  lines: readonly string[],
  { all = false }: { readonly all?: boolean },
  print: (line: string) => void,
): void {
  const shown = all ? lines : lines.slice(0, MAX_LINES);
  for (const line of shown) print(line);
  const left = lines.length - shown.length;
  if (left > 0) console.error(`${countOf(left, 'more line')}; to see all, use --all or --json`);
}
