/** `daybook scan` also finds a secret in an archive of old conversations, and in a graph outside the root. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { plainSealer } from '../../src/files/sealing/file-sealer.js';
import { scanFolders } from '../../src/privacy/scan.js';
import { conversationText, doctorPlace, ID, signal } from '../doctor/place.js';
import { runCommand, withPlace } from '../e2e/harness.js';
import { keyIn, run, withKey } from '../encryption/store.js';
import { filesBelow } from '../support/files-below.js';

it('scan finds a secret in an archive, and shows its file and message', async () => {
  const place = doctorPlace();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  place.write(`conversation-logs/${ID}/conversation.json`, conversationText(['a', `my ${token}`]));
  await place.withApp(async ({ archives }) => {
    await archives.archive(await archives.choose({ olderThanDays: 1 }));
  });
  const folder = join(place.root, 'archive');
  const ignore = () => undefined;
  const options = { sealer: plainSealer, signal, onFile: ignore, onUnread: ignore };
  const found = [];
  for await (const secret of scanFolders([folder], options)) found.push(secret);
  const path = `${join(folder, 'conversations-2025-01.tar.gz')} (conversation-logs/${ID}/conversation.json)`;
  expect(found).toEqual([
    { path, place: 'message 2', kind: 'GITHUB_TOKEN', shown: expect.stringContaining('ghp_') },
  ]);
});

it('scan finds a secret that is the name of a field of metadata', async () => {
  await withPlace(async (place) => {
    const folder = join(place.root, 'conversation-logs', ID);
    mkdirSync(folder, { recursive: true });
    const message = { role: 'user', content: 'a', metadata: { [`ghp_${'a1B2'.repeat(9)}`]: 1 } };
    writeFileSync(join(folder, 'conversation.json'), JSON.stringify({ messages: [message] }));
    const { stdout } = await runCommand(place, ['--root', place.root, 'scan', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      secrets: [{ place: 'message 1', kind: 'GITHUB_TOKEN' }],
    });
  });
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

it('scan and redact name the same files that they cannot read', async () => {
  await withPlace(async (place) => {
    await run(place, 'save', 'user', 'raven');
    const key = keyIn(place);
    const [conversation = ''] = filesBelow(place.root).filter((path) =>
      path.endsWith('conversation.json'),
    );
    const archive = join(dirname(conversation), 'attachments', 'mine.tar.gz');
    mkdirSync(dirname(archive));
    writeFileSync(archive, gzipSync('raven, which is in no archive'.repeat(20)));
    await run(place, 'encrypt', '--key-file', key, '--yes');
    const sealed = withKey(place, key);
    const scanned = JSON.parse(await run(sealed, 'scan', '--json'));
    const { stdout } = await runCommand(sealed, [
      ...['--root', place.root, 'redact', 'raven', '--dry-run', '--json'],
    ]);
    expect(scanned.unread.map(({ path }: { path: string }) => path)).toEqual([archive]);
    expect(JSON.parse(stdout).unread).toEqual(scanned.unread);
  });
});
