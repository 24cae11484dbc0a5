/**
 * A power cut at any step of prune, archive, encrypt, decrypt, redact and repair: nothing is lost, an
 * operation that reported success is done, and the next run completes the work. One of the simulated disks
 * at each step is the disk that a process leaves if it is killed at this step.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARE, type CareOperation, DIGITS } from '../support/maintenance-scenarios.js';
import { powerLoss, type Scenario, withoutSyncs } from '../support/power-loss.js';
import { timeLimitMs } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';

const { record, cutPowerAtEachStep, statesWithoutLoss } = powerLoss('power-loss-maintenance');
const ENOUGH_PROBLEMS = 1;
const keyFile = join(tempFolder(), 'key');
writeFileSync(keyFile, DIGITS);

const wordsOf = (error: unknown): string[] => [String(error)];

const scenarioOf = (operation: CareOperation): Scenario => ({
  name: operation.name,
  async run(place) {
    await operation.fill(place.root);
    place.settle();
    await operation.run(place.root, keyFile, true);
    place.acknowledge('done');
  },
  async problemsAt(root, acknowledged) {
    const problems = await operation.problems(root, acknowledged.length > 0).catch(wordsOf);
    const stopped = await operation.run(root, keyFile, false).then(() => [], wordsOf);
    const next = await operation.problems(root, true).catch(wordsOf);
    return [...problems, ...stopped, ...next.map((problem) => `after the next run: ${problem}`)];
  },
});

describe('power loss at every step of maintenance', () => {
  it.each(CARE.map(scenarioOf))(
    '$name: nothing is lost, and the next run completes the work',
    async (scenario) => {
      expect(await statesWithoutLoss(scenario)).toBeGreaterThan(30);
    },
    timeLimitMs(300_000),
  );

  it.each(CARE.map(scenarioOf))(
    '$name: the simulation finds losses if nothing is synced',
    async (scenario) => {
      const { root, steps } = await record(scenario);
      const cut = { root, steps: withoutSyncs(withoutSyncs(steps, 'files'), 'folders') };
      const { problems } = await cutPowerAtEachStep(scenario, cut, ENOUGH_PROBLEMS);
      expect([...problems]).not.toEqual([]);
    },
    timeLimitMs(300_000),
  );
});
