/** Files that a person saves while Daybook changes them: the edit of the person is kept. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StateStore } from '../../src/stores/state/state.js';
import { tempFolder } from '../support/temp-folder.js';

it('a change of the state keeps an edit that was saved between its read and its write', async () => {
  const logsFolder = join(tempFolder(), 'logs');
  mkdirSync(logsFolder);
  const file = join(logsFolder, 'state.json');
  writeFileSync(file, '{"values": {}}');
  let edits = 0;
  // The new state becomes JSON after the file was read.
  const value = {
    toJSON() {
      if (edits === 0) writeFileSync(file, '{"values": {"mine": "by hand"}}');
      edits += 1;
      return 1;
    },
  };
  const state = new StateStore({ logsFolder, fsync: false });
  await state.set({ values: { a: value as never } });
  expect(JSON.parse(readFileSync(file, 'utf8')).values).toEqual({ mine: 'by hand', a: 1 });
  expect(edits).toBeGreaterThan(1);
});
