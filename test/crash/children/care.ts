/** A process that runs one operation of care-scenarios.ts, and is killed right before a chosen file-system call. */
import { CARE } from '../../support/care-scenarios.js';
import { type Interruption, interruptedAt } from '../../support/interrupted-at.js';
import { say, task } from './lines.js';

export interface CareTask extends Interruption {
  readonly operation: string;
  readonly keyFile: string;
}

const { operation, keyFile, ...interruption } = task<CareTask>();
const { run } = CARE.find(({ name }) => name === operation) ?? {};
if (run === undefined) throw new Error(`there is no operation ${operation}`);
const calls = await interruptedAt(interruption, () => run(interruption.root, keyFile, true));
say({ calls });
process.exit(0);
