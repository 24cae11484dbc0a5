/** If Node can keep compiled code (from 22.1 on), the command keeps it in the cache folder of the user. */
import { execFileSync } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN, type Place, runProcess, withPlace } from './harness.js';

const isPossible = 'enableCompileCache' in module;
const ALIVE = ['--version'];

/** The files of the cache. The list is empty if the folder does not exist. */
async function cached({ folder }: Place): Promise<string[]> {
  const entries = await readdir(join(folder, 'cache/daybook/code'), { recursive: true }).catch(
    () => [],
  );
  return entries.filter((entry) => /\.cache$|[0-9a-f]{8}$/.test(entry));
}

const withCache = (place: Place, extra = {}): Place => ({
  ...place,
  env: { ...place.env, XDG_CACHE_HOME: join(place.folder, 'cache'), ...extra },
});

describe('the compiled code of the command', () => {
  it(`is ${isPossible ? '' : 'not '}kept by this version of Node`, async () => {
    await withPlace(async (place) => {
      const first = await runProcess(withCache(place), ALIVE);
      const kept = await cached(place);
      expect(kept.length > 0).toBe(isPossible);
      const second = await runProcess(withCache(place), ALIVE);
      expect(second).toEqual(first);
      expect(first.code).toBe(0);
      expect(await cached(place)).toEqual(kept);
      if (!isPossible) return;
      const { mode } = await stat(join(place.folder, 'cache/daybook/code'));
      expect(mode & 0o022).toBe(0);
    });
  });

  it('is in a folder that only the user can open, whatever the umask is', async () => {
    await withPlace(async (place) => {
      const { env, folder } = withCache(place);
      const folders = ['cache/daybook', 'cache/daybook/code'].map((name) => join(folder, name));
      const run = () => {
        const script = 'umask 000 && exec "$0" "$@"';
        execFileSync('sh', ['-c', script, process.execPath, MAIN, ...ALIVE], { env });
      };
      run();
      if (!isPossible) return;
      const modes = () => folders.map((path) => statSync(path).mode & 0o777);
      expect(modes()).toEqual([0o700, 0o700]);
      const inside = await readdir(join(folder, 'cache/daybook/code'));
      expect(inside.map((name) => statSync(join(folders[1] ?? '', name)).mode & 0o077)).toEqual([
        0,
      ]);
      for (const path of folders) chmodSync(path, 0o777); // as an earlier version made them
      run();
      expect(modes()).toEqual([0o700, 0o700]);
    });
  });

  it('is not kept if the user switches the cache off', async () => {
    await withPlace(async (place) => {
      const run = await runProcess(withCache(place, { NODE_DISABLE_COMPILE_CACHE: '1' }), ALIVE);
      expect(run.code).toBe(0);
      expect(await cached(place)).toEqual([]);
    });
  });

  it('is not needed: the command works if the folder of the cache cannot be made', async () => {
    await withPlace(async (place) => {
      const file = join(place.folder, 'file');
      await writeFile(file, '');
      const run = await runProcess(withCache(place, { XDG_CACHE_HOME: file }), ALIVE);
      expect([run.code, run.stderr]).toEqual([0, '']);
    });
  });
});
