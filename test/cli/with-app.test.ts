/** A command that runs for a long time, such as `daybook import --watch`, and whose store goes away. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withApp } from '../../src/cli/with-app.js';
import { folderWith, lines } from '../import/bench.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

it('makes no other store while its own is away, and continues when it is back', async () => {
  const root = tempFolder();
  const folder = folderWith({
    'projects/x/s.jsonl': lines({
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: 's',
      message: { role: 'user', content: 'hello' },
    }),
  });
  const work: Parameters<typeof withApp>[1] = async ({ importer }) => {
    const run = () => importer.run({ paths: [folder], dryRun: false });
    renameSync(root, `${root}-away`);
    expect(await errorOf(run())).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(existsSync(root)).toBe(false);
    renameSync(`${root}-away`, root);
    expect(await run()).toMatchObject({ added: 1 });
    expect(existsSync(join(root, 'conversation-logs'))).toBe(true);
  };
  await withApp({ root }, work, { staysUp: true });
});
