/** What a command found out, as JSON or in lines for people. */
import { terminalJson } from './terminal-text.js';

/** `print` is called unless JSON was asked for. */
export function report(facts: unknown, json: boolean | undefined, print: () => void): void {
  if (json) console.log(terminalJson(facts));
  else print();
}

/** `1 file`, `2 files`. */
export const countOf = (count: number, name: string): string =>
  `${count} ${name}${count === 1 ? '' : 's'}`;
