/** Prints the result of a command as JSON, or as lines for people. */
import { terminalJson } from './terminal-text.js';

/** Prints `facts` as JSON if `json` is set, otherwise calls `print`. */
export function report(facts: unknown, json: boolean | undefined, print: () => void): void {
  if (json) console.log(terminalJson(facts));
  else print();
}
