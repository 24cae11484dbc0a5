/** The files through which a message passes to the disk, as docs/ARCHITECTURE.md lists them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../support/temp-folder.js';

/** In the order of the steps: the document is read and changed under the lock, and then replaced. */
const WAY = [
  'tools/conversations/save-message.ts',
  'stores/conversations/conversations.ts',
  'files/atomic/group-commit.ts',
  'stores/conversations/writing/writer.ts',
  'stores/conversations/files/conversation-files.ts',
  'files/locks/file-lock.ts',
  'files/atomic/atomic-write.ts',
];

/** Called on the way: they return a value or change the document, but do not pass the message on. */
const ASKED = [
  'files/atomic/rename-with-retry.ts',
  'files/locks/lock-acquisition.ts',
  'files/locks/lock-handoff.ts',
  'files/locks/process-identity.ts',
  'files/locks/stale-owner.ts',
  'stores/conversations/document/apply-appends.ts',
  'stores/conversations/document/conversation-id.ts',
  'stores/conversations/document/derived-title.ts',
  'stores/conversations/document/document.ts',
  'stores/conversations/document/parse-conversation.ts',
  'stores/conversations/document/parse-fields.ts',
  'stores/conversations/files/document-cache.ts',
  'stores/conversations/key-lookup.ts',
  'stores/conversations/store-core.ts',
  'stores/conversations/writing/mask-queue.ts',
  'stores/format-migrations.ts',
];

/** Notified after the rename. */
const NOTIFIED = [
  'stores/conversations/files/conversation-catalogue.ts',
  'stores/conversations/listing/newest-first.ts',
];

it('a saved message passes only through the files that ARCHITECTURE.md lists, in this order', () => {
  const script = new URL('../../support/files-entered.mjs', import.meta.url).pathname;
  const output = execFileSync(process.execPath, [script, join(tempFolder(), 'logs')], {
    encoding: 'utf8',
  });
  const entered = JSON.parse(output) as string[];
  const isOfRooms = (path: string) =>
    /^(tools\/conversations|stores|files\/(atomic|locks))\//.test(path);
  expect(entered.filter(isOfRooms).sort()).toEqual([...WAY, ...ASKED, ...NOTIFIED].sort());
  const architecture = readFileSync('docs/ARCHITECTURE.md', 'utf8');
  const positions = WAY.map((path) => architecture.indexOf(`\`${path}\``));
  expect(positions.every((position) => position > 0)).toBe(true);
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
});
