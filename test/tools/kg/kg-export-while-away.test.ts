/** kg_export while the folder of the store is missing. */
import { expect, it } from 'vitest';
import { requireStoreFor } from '../../../src/server/mcp/store-notice.js';
import { kgExport } from '../../../src/tools/kg/kg-export.js';
import { errorOf } from '../../support/error-of.js';
import { withStore } from '../../support/store-that-leaves.js';

it('returns the facts in memory as text, and writes no file', async () => {
  await withStore(async ({ app, leave }) => {
    await app.kg.add([{ subject: 'Ada', predicate: 'lives in', object: 'Ockham' }]);
    const call = {
      signal: new AbortController().signal,
      isRemote: false,
      progress: () => undefined,
    };
    const exported = async (given: object) => {
      const input = kgExport.input.parse(given);
      await requireStoreFor(kgExport, input, app);
      return kgExport.run(input, app, call);
    };
    leave();
    const away = async () => (await errorOf(exported({ file: 'graph.jsonl' }))).code;
    await expect.poll(away).toBe('STORAGE_UNAVAILABLE');
    expect(await exported({})).toMatchObject({ lines: 1, text: expect.stringContaining('Ockham') });
  });
});
