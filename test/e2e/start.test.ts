/** The work of a start before `initialize` is answered, as counts, which do not depend on the machine. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toolListing } from '../../src/server/mcp/offered-tools.js';
import { tools } from '../../src/tools/index.js';
import { BareServer, type Place, withPlace } from './harness.js';

/** This script is loaded before the command. zod calls `postProcessor` for each schema that is made. */
const COUNTS = `
import { findSourceMap } from 'node:module';
import { Session } from 'node:inspector';
const counts = { schemas: 0, files: 0, bytes: 0, maps: 0 };
globalThis.__zod_globalConfig = { postProcessor: () => { counts.schemas += 1; } };
const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params: { url, length } }) => {
  if (!url.includes('/dist/cli/')) return;
  counts.files += 1;
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

type Counts = Record<'schemas' | 'files' | 'bytes' | 'maps', number>;

/** `tools` is the number of tools in the list, if the list was requested. */
async function countsOf(place: Place, asksForTools: boolean) {
  const file = join(place.folder, 'counts.mjs');
  await writeFile(file, COUNTS);
  const server = new BareServer({
    ...place,
    env: { ...place.env, NODE_OPTIONS: `--import=${file}` },
  });
  // The notification `initialized` is not sent, because it would open the stores.
  await server.answer(server.send('initialize', PARAMS));
  const list = asksForTools ? server.answer(server.send('tools/list', {})) : undefined;
  const tools = (await list)?.result?.['tools'];
  server.process.stdin.end();
  await server.exit();
  const counts: Counts = JSON.parse(server.stderr.split('COUNTS')[1] ?? '{}');
  return { tools, ...counts };
}

describe('a start, until initialize is answered', () => {
  it('makes no schema of a tool, and reads neither source maps nor code that it does not need', async () => {
    await withPlace(async (place) => {
      const { schemas, files, bytes, maps } = await countsOf(place, false);
      console.log(`${schemas} schemas, ${bytes} bytes of code in ${files} files`);
      expect(maps).toBe(0);
      expect(schemas).toBeGreaterThan(500); // those of the protocol
      expect(schemas).toBeLessThan(1_000);
      expect(files).toBeLessThan(12);
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThan(850_000);
    });
  });

  it('makes no schema of a tool for the list of tools, because the build has made the list', async () => {
    await withPlace(async (place) => {
      const env = { ...place.env, DAYBOOK_TOOLSETS: 'all', DAYBOOK_PERPLEXITY_TOOLS: 'always' };
      const { schemas, tools: listed } = await countsOf({ ...place, env }, true);
      expect(listed).toEqual(JSON.parse(JSON.stringify(tools.map(toolListing))));
      expect(schemas).toBeGreaterThan(500);
      expect(schemas).toBeLessThan(2_000); // with those that tools share, and those of the stores
    });
  });
});
