/** The input of all views, which show the answer of a tool to people. */
import type { Paint } from '../terminal/paint.js';
import type { Times } from '../terminal/times.js';

/** The answer in the form of the output schema of the tool. */
export type Answer = Readonly<Record<string, unknown>>;

export interface View {
  readonly paint: Paint;
  readonly times: Times;
  /** Width of the terminal; `undefined` in a pipe, where nothing is cut. */
  readonly columns: number | undefined;
  /** A command of Daybook with these words, for the same root and for the shell. */
  readonly commandLine: (...words: readonly string[]) => string;
}
