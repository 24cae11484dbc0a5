/** What killed processes left in the folders of archives, backups and exports is removed or reported by an encryption. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ownerName } from '../../src/files/locks/process-identity.js';
import { withPlace } from '../e2e/harness.js';
import { filesWith, keyIn, run } from './store.js';

/** No process has this number. */
const DEAD = ownerName().replace(`-${process.pid}-`, '-4194304-');
const OF_THE_DEAD = `.tmp-${DEAD}-deadbeef`;
/** Nobody can know here whether this process of another machine lives. */
const OF_A_STRANGER = '.tmp-4194304-0-0-0-deadbeef';
const ID = '20250124-1706102400123';

it('has no plain text afterwards', () =>
  withPlace(async (place) => {
    const unknown = join('backups', OF_A_STRANGER);
    const leftovers = [
      unknown,
      join('archive', OF_A_STRANGER, ID, 'conversation.json'),
      join('archive', OF_A_STRANGER, ID, 'versions', '0001.20991231T000000000Z.edit.json'),
      join('backups', OF_THE_DEAD),
      join('exports', OF_THE_DEAD),
    ];
    for (const name of leftovers) {
      const path = join(place.root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '{"messages": [{ "role": "user", "content": "MarkLeft" }]}');
    }
    const args = ['encrypt', '--key-file', keyIn(place), '--yes', '--json'];
    const { copies } = JSON.parse(await run(place, ...args)) as { copies: string[] };
    expect(copies).toEqual([join(place.root, unknown)]);
    expect(filesWith('MarkLeft', [place.root])).toEqual(copies);
  }));
