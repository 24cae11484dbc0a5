/** What a start costs before `initialize` is answered, as counts: they do not depend on the machine. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BareServer, type Place, withPlace } from './harness.js';

/** Loaded before the command. zod calls `postProcessor` for each schema that is made. */
const COUNTS = `
import { findSourceMap } from 'node:module';
import { Session } from 'node:inspector';
const counts = { schemas: 0, bytes: 0, maps: 0 };
globalThis.__zod_globalConfig = { postProcessor: () => { counts.schemas += 1; } };
const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params: { url, length } }) => {
  if (!url.includes('/dist/cli/')) return;
  counts.bytes += length;
  if (findSourceMap(url) !== undefined) counts.maps += 1;
});
session.post('Debugger.enable');
process.on('exit', () => process.stderr.write('COUNTS' + JSON.stringify(counts)));
`;

const PARAMS = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'counts', version: '1' },
};

async function countsAtInitialize(place: Place): Promise<Record<string, number>> {
  const file = join(place.folder, 'counts.mjs');
  await writeFile(file, COUNTS);
  const server = new BareServer({
    ...place,
    env: { ...place.env, NODE_OPTIONS: `--import=${file}` },
  });
  // Without the notification that follows, which opens the stores.
  await server.answer(server.send('initialize', PARAMS));
  server.process.stdin.end();
  await server.exit();
  return JSON.parse(server.stderr.split('COUNTS')[1] ?? '{}');
}

describe('a start, until initialize is answered', () => {
  it('makes no schema of a tool, and reads neither source maps nor code that it does not need', async () => {
    await withPlace(async (place) => {
      const { schemas, bytes, maps } = await countsAtInitialize(place);
      console.log(`${schemas} schemas, ${bytes} bytes of code`);
      expect(maps).toBe(0);
      expect(schemas).toBeGreaterThan(500); // those of the protocol
      expect(schemas).toBeLessThan(1_300);
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThan(1_000_000);
    });
  });
});
