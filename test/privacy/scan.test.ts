/** `daybook scan` also finds a secret in an archive of old conversations. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plainSealer } from '../../src/files/sealing/file-sealer.js';
import { scanFolders } from '../../src/privacy/scan.js';
import { conversationText, doctorPlace, ID, signal } from '../doctor/place.js';

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
