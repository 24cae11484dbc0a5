/** What a command found out, as JSON or in lines for people. */
import { terminalJson } from './terminal-text.js';

/** `print` is called unless JSON was asked for. */
export function tell(facts: unknown, json: boolean | undefined, print: () => void): void {
  if (json) console.log(terminalJson(facts));
  else print();
}
