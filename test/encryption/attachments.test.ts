/**
 * Attachments of imported conversations in an encrypted store: the import seals them, also if their names are
 * those of files that Daybook never seals, and recognizes them when it runs again.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Place, withClient, withPlace } from '../e2e/harness.js';
import { chatgptConversation } from '../support/chatgpt-conversation.js';
import { filesBelow } from '../support/files-below.js';
import { filesWith, keyIn, run, withKey } from './store.js';

const MARK = 'MarkMarienstrasse';
const TEXT = `a table of ${MARK}\n`;

/** Writes an export of ChatGPT with one conversation for each name of an attachment. */
function putExport({ folder }: Place, names: readonly string[]): string {
  const path = join(folder, 'export');
  const conversations = names.map((name, index) =>
    chatgptConversation(index, 'raven', [{ id: `file-A${index}`, name }]),
  );
  const files = names.map((name, index) => [`file-A${index}-${name}`, TEXT] as const);
  for (const [name, text] of [
    ['conversations.json', JSON.stringify(conversations)] as const,
    ...files,
  ]) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

const attachmentsOf = ({ root }: Place) =>
  filesBelow(root).filter((path) => /[/\\]attachments[/\\]/.test(path));

const importOf = async (place: Place, path: string) =>
  JSON.parse(await run(place, 'import', path, '--attachments', '--yes', '--json'));

it('seals attachments, finds them again, and decrypts them to the same bytes', async () => {
  await withPlace(async (place) => {
    await run(place, 'save', 'user', 'raven');
    const key = keyIn(place);
    await run(place, 'encrypt', '--key-file', key, '--yes');
    const sealed = withKey(place, key);
    const path = putExport(place, ['a.txt', 'b.owner']);
    expect(await importOf(sealed, path)).toMatchObject({ added: 2, attachments: 2, problems: [] });
    expect(attachmentsOf(place)).toHaveLength(2);
    expect(filesWith(MARK, [place.root])).toEqual([]);
    expect(await importOf(sealed, path)).toMatchObject({
      unchanged: 2,
      attachments: 0,
      problems: [],
    });
    await run(sealed, 'decrypt', '--yes');
    expect(attachmentsOf(place).map((each) => readFileSync(each, 'utf8'))).toEqual([TEXT, TEXT]);
  });
});

it('keeps the attachments of a branch sealed', async () => {
  await withPlace(async (place) => {
    await run(place, 'save', 'user', 'raven');
    const key = keyIn(place);
    await run(place, 'encrypt', '--key-file', key, '--yes');
    const sealed = withKey(place, key);
    await importOf(sealed, putExport(place, ['a.txt']));
    const imported = attachmentsOf(place)[0]?.split(/[/\\]/).at(-3);
    await withClient(sealed, ({ call }) =>
      call('branch_conversation', {
        conversationId: imported,
        messageId: 'message-0000-0000-0',
      }),
    );
    expect(attachmentsOf(place)).toHaveLength(2);
    expect(filesWith(MARK, [place.root])).toEqual([]);
    await run(sealed, 'decrypt', '--yes');
    expect(attachmentsOf(place).map((each) => readFileSync(each, 'utf8'))).toEqual([TEXT, TEXT]);
  });
});

it('finds attachments again that were encrypted after their import', async () => {
  await withPlace(async (place) => {
    const path = putExport(place, ['a.txt']);
    await importOf(place, path);
    const key = keyIn(place);
    await run(place, 'encrypt', '--key-file', key, '--yes');
    expect(await importOf(withKey(place, key), path)).toMatchObject({
      unchanged: 1,
      attachments: 0,
      problems: [],
    });
  });
});
