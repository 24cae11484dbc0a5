/** A question whose text was removed from `job.json` while the research runs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Bench, eventually, openBench, question } from '../support/research-bench.js';

let bench: Bench;
afterEach(() => bench.close());

it('does not come back with the next state of the run or with the answer', async () => {
  bench = await openBench();
  bench.api.pollsUntilDone = 1_000_000;
  const service = bench.service({ timing: { waitMs: 0 } });
  const { conversationId: id = '' } = await service.deepResearch(question('about Mr Mark?'));
  const folder = bench.store.path(id);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('Mr Mark', '[redacted]'));
  }
  expect((await service.history(id)).run).toMatchObject({ query: 'about [redacted]?' });
  bench.api.pollsUntilDone = 0;
  await eventually(async () => expect((await service.history(id)).run).toBeUndefined());
  const [, asked] = (await bench.store.load(id)).messages;
  expect(asked?.content).toBe('about [redacted]?');
});
