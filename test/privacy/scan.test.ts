/** `daybook scan` also finds a secret in an archive of old conversations, and in a graph outside the root. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plainSealer } from '../../src/files/sealing/file-sealer.js';
import { scanFolders } from '../../src/privacy/scan.js';
import { conversationText, doctorPlace, ID, signal } from '../doctor/place.js';
import { runCommand, withPlace } from '../e2e/harness.js';

it('scan finds a secret in an archive, and shows its file and message', async () => {
  const place = doctorPlace();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  place.write(`conversation-logs/${ID}/conversation.json`, conversationText(['a', `my ${token}`]));
  await place.withApp(async ({ archives }) => {
    await archives.archive(await archives.choose({ olderThanDays: 1 }));
  });
  const folder = join(place.root, 'archive');
  const options = { sealer: plainSealer, signal, onFile: () => undefined };
  const found = [];
  for await (const secret of scanFolders([folder], options)) found.push(secret);
  const path = `${join(folder, 'conversations-2025-01.tar.gz')} (conversation-logs/${ID}/conversation.json)`;
  expect(found).toEqual([
    { path, place: 'message 2', kind: 'GITHUB_TOKEN', shown: expect.stringContaining('ghp_') },
  ]);
});

it('scan finds a secret in a graph outside the root', async () => {
  await withPlace(async (place) => {
    const graph = join(place.folder, 'graph');
    mkdirSync(graph);
    mkdirSync(place.root);
    const env = {
      ...place.env,
      MCP_KG_SNAPSHOT: join(graph, 'facts.json'),
      MCP_KG_WAL: join(graph, 'changes.log'),
      DAYBOOK_SECRETS: 'keep',
    };
    const daybook = (...args: string[]) =>
      runCommand({ ...place, env }, ['--root', place.root, ...args]);
    expect(await daybook('kg', 'add', `ghp_${'a1B2'.repeat(9)}`, 'is', 'x')).toMatchObject({
      code: 0,
    });
    const { stdout } = await daybook('scan', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      secrets: [{ path: join(graph, 'changes.log'), kind: 'GITHUB_TOKEN' }],
    });
  });
});
