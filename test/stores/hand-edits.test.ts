/** Files that a person saves while Daybook changes them: the edit of the person stays. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { StateStore } from '../../src/stores/state.js';
import { tempFolder } from '../support/temp-folder.js';

const edits = vi.hoisted(() => new Map<string, () => void>());

vi.mock('../../src/files/read/json-doc.js', async (original) => {
  const real = await original<typeof import('../../src/files/read/json-doc.js')>();
  const readWhole = async (path: string, maxBytes?: number) => {
    const found = await real.readWhole(path, maxBytes);
    const edit = edits.get(path);
    edits.delete(path);
    edit?.();
    return found;
  };
  return { ...real, readWhole };
});

it('keeps an edit of the state that was saved between the read and the write', async () => {
  const logsFolder = join(tempFolder(), 'logs');
  mkdirSync(logsFolder);
  const file = join(logsFolder, 'state.json');
  writeFileSync(file, '{"values": {}}');
  edits.set(file, () => writeFileSync(file, '{"values": {"mine": "by hand"}}'));
  const state = new StateStore({ logsFolder, fsync: false });
  await state.set({ values: { a: 1 } });
  expect(JSON.parse(readFileSync(file, 'utf8')).values).toEqual({ mine: 'by hand', a: 1 });
});
