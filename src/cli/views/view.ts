/** How the answer of a tool is shown to people: what every view is given. */
import type { Paint } from '../terminal/paint.js';
import type { Times } from '../terminal/times.js';

/** The answer, as the output schema of the tool has it. */
export type Answer = Readonly<Record<string, unknown>>;

export interface View {
  readonly paint: Paint;
  readonly times: Times;
  /** `undefined` through a pipe, where nothing is cut. */
  readonly columns: number | undefined;
}
