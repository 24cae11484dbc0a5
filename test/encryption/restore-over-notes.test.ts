/** A backup of an encrypted store is not restored over plain notes, insights or facts, which would stay plain. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withPlace } from '../e2e/harness.js';
import { failure, keyIn, run, withKey } from './store.js';

it.each([
  ['a note', ['mb', 'add', 'plan.md', 'MarkNote']],
  ['an insight', ['insight', 'save', 'MarkInsight', '--context', 'global']],
  ['a fact', ['kg', 'add', 'Ada', 'knows', 'MarkFact']],
])('into a root with %s', (_what, args) =>
  withPlace(async (place) => {
    const secret = withKey(place, keyIn(place));
    const backups = join(place.folder, 'copies');
    await run(place, 'save', 'user', 'hello');
    await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
    await run(secret, 'backup', '--to', backups);
    const [name = ''] = readdirSync(backups).filter((each) => each.endsWith('.tar.gz'));
    const other = { ...place, root: join(place.folder, 'other') };
    mkdirSync(other.root);
    await run(other, ...args);
    expect(await failure(withKey(other, keyIn(place)), 'restore', join(backups, name))).toBe(
      'CONFLICT',
    );
    expect(existsSync(join(other.root, 'conversation-logs', 'encryption.json'))).toBe(false);
  }));
