/** A process that runs one operation of maintenance-scenarios.ts, and is killed right before a chosen file-system call. */

import { type Interruption, interruptedAt } from '../../support/interrupted-at.js';
import { CARE } from '../../support/maintenance-scenarios.js';
import { say, task } from './lines.js';

export interface MaintenanceTask extends Interruption {
  readonly operation: string;
  readonly keyFile: string;
}

const { operation, keyFile, ...interruption } = task<MaintenanceTask>();
const { run } = CARE.find(({ name }) => name === operation) ?? {};
if (run === undefined) throw new Error(`there is no operation ${operation}`);
const calls = await interruptedAt(interruption, () => run(interruption.root, keyFile, true));
say({ calls });
process.exit(0);
