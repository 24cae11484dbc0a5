/** The locations of tools say what each tool deletes and when. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findDefaultLocations } from '../../src/import/tool-logs/default-locations.js';
import { folderWith } from './bench.js';

it('the locations report what each tool deletes and when, from its settings', async () => {
  const home = folderWith({
    '.claude/projects/x': '',
    '.gemini/tmp/x': '',
    '.codex/sessions/x': '',
  });
  const machine = { home, programs: home, variable: () => undefined };
  const deletes = async () =>
    Object.fromEntries(
      (await findDefaultLocations(machine)).map((place) => [place.kind, place.deletes]),
    );
  expect(await deletes()).toEqual({
    'claude-code': expect.stringContaining('older than 30 days by default'),
    codex: undefined,
    'gemini-cli': expect.stringContaining('older than 30 days by default'),
  });
  writeFileSync(join(home, '.claude/settings.json'), '{"cleanupPeriodDays": 400}');
  const retention = { sessionRetention: { maxAge: '7d' } };
  writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify({ general: retention }));
  expect(await deletes()).toMatchObject({
    'claude-code': expect.stringContaining('older than 400 days'),
    'gemini-cli': expect.stringContaining('older than 7d'),
  });
  writeFileSync(join(home, '.claude/settings.json'), '{ broken');
  writeFileSync(
    join(home, '.gemini/settings.json'),
    '{"general": {"sessionRetention": {"enabled": false}}} // kept',
  );
  expect(await deletes()).toMatchObject({
    'claude-code': expect.stringContaining('by default'),
    'gemini-cli': undefined,
  });
});
