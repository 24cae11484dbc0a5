/** The log never stops a server, even if stderr is not read or is closed, or pino cannot be loaded. */
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BareServer, MAIN, type Place, withPlace } from './harness.js';

/** The server refuses each of these lines, and writes a line to the log. */
const BAD_LINES = 'this is not JSON\n'.repeat(1000);

const save = (server: BareServer, content: string) =>
  server.send('tools/call', {
    name: 'save_message',
    arguments: { role: 'user', content },
  });

async function savesAfterBadLines(server: BareServer): Promise<void> {
  await server.initialize();
  server.process.stdin.write(BAD_LINES);
  const { result } = await server.answer(save(server, 'saved in spite of the log'));
  expect(result).toMatchObject({ structuredContent: { success: true } });
  server.process.stdin.end();
  expect(await server.exit()).toEqual([0, null]);
}

/** Makes a copy of the built command without pino, as after an update of the package while a server runs. */
function withoutPino({ folder }: Place): string {
  const [from, to] = [dirname(MAIN), join(folder, 'package/dist/cli')];
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.map') });
  const top = resolve(from, '../..');
  cpSync(join(top, 'package.json'), join(folder, 'package/package.json'));
  symlinkSync(join(top, 'node_modules'), join(folder, 'package/node_modules'));
  rmSync(join(to, 'pino.cjs'));
  return join(to, 'main.js');
}

describe('a server answers', () => {
  it.each(['pause', 'destroy'] as const)('if its client does not read stderr (%s)', async (how) => {
    await withPlace(async (place) => {
      const server = new BareServer(place);
      server.process.stderr[how]();
      await savesAfterBadLines(server);
    });
  });

  it('if pino cannot be loaded, and logs only the messages', async () => {
    await withPlace(async (place) => {
      const server = new BareServer(place, undefined, withoutPino(place));
      await savesAfterBadLines(server);
      expect(server.stderr).toContain('{"level":"warn","msg":"a message on stdin was refused"}');
    });
  });
});
