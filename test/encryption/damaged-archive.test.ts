/** An archive with a conversation that cannot be decrypted, or that is cut off, hides nothing else. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rewriteArchive } from '../../src/files/rewrite-tar-archive.js';
import { CONTENTS_NAME } from '../../src/maintenance/check-archive.js';
import { type Place, withPlace } from '../e2e/harness.js';
import { errorOf, keyIn, run, withKey } from './store.js';

/** Two archived conversations of an encrypted store: the path of their archive. */
async function archived(place: Place): Promise<string> {
  for (const key of ['first', 'second'])
    await run(place, 'save', 'user', `text of ${key}`, '--conversation-id', key);
  await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
  await run(withKey(place, keyIn(place)), 'archive', '--older-than', '0d', '--yes');
  const folder = join(place.root, 'archive');
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.tar.gz'));
  return join(folder, name);
}

it('the conversations after one that cannot be decrypted are found and restored', () =>
  withPlace(async (place) => {
    const path = await archived(place);
    const secret = withKey(place, keyIn(place));
    let changed = '';
    const change = ({ name, bytes }: { name: string; bytes: Buffer }) => {
      if (!name.endsWith('/conversation.json')) return undefined;
      changed ||= name; // the first one; called twice for each file
      if (name !== changed) return undefined;
      const flip = (_: string, before: string, at: string) => before + (at === 'A' ? 'B' : 'A');
      return Buffer.from(bytes.toString().replace(/("content": "sealed:1:.{40})(.)/, flip));
    };
    await rewriteArchive(path, { contentsName: CONTENTS_NAME, fsync: false, change });
    const id = changed.split('/')[1] ?? '';
    await run(secret, 'restore', 'second');
    expect(await run(secret, 'show', 'second')).toContain('text of second');
    await run(secret, 'restore', id);
    expect((await errorOf(secret, 'show', id)).code).toBe('DECRYPT');
  }));

it('an archive that is cut off is named if what should be restored is not found', () =>
  withPlace(async (place) => {
    const path = await archived(place);
    writeFileSync(path, readFileSync(path).subarray(0, 300));
    const { hint } = await errorOf(withKey(place, keyIn(place)), 'restore', 'second');
    expect(hint).toContain(path);
  }));
