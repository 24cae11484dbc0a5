/** Which paths a caller over HTTP may import from, with and without DAYBOOK_IMPORT_FOLDERS. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { connectHttp } from '../e2e/http-harness.js';
import { withHttpPlace } from '../support/http-place.js';

const CHAT = '## User\n\nWhere is the spade?\n\n## Assistant\n\nIn the shed.\n';

/** Two exports, one in the folder that the setting names, and links between the two folders. */
async function layExports(root: string) {
  const [allowed, other] = [join(dirname(root), 'allowed'), join(dirname(root), 'other')];
  for (const folder of [allowed, other]) {
    await mkdir(folder);
    await writeFile(join(folder, 'chat.md'), CHAT);
  }
  await symlink(join(other, 'chat.md'), join(allowed, 'file-link.md'));
  await symlink(other, join(allowed, 'folder-link'));
  return { allowed, other };
}

it('a remote import reads inside a folder of the setting, and nothing outside it', async () => {
  const settings = (folder: string) => ({ DAYBOOK_IMPORT_FOLDERS: join(folder, 'allowed') });
  await withHttpPlace({ settings }, async ({ url, root }) => {
    const { allowed, other } = await layExports(root);
    const { client, result, call } = await connectHttp(url);
    const outside = [
      join(other, 'chat.md'),
      join(allowed, '..', 'other', 'chat.md'),
      join(allowed, 'file-link.md'),
      join(allowed, 'folder-link', 'chat.md'),
      `${allowed}-more/chat.md`,
      join(allowed, 'missing.md'),
      'allowed/chat.md',
      'chat.md',
      '/etc/passwd',
      `${allowed}\0/chat.md`,
    ];
    for (const path of outside) {
      const { isError, content } = await result('import_conversations', { path });
      expect(isError, path).toBe(true);
      const said = JSON.stringify(content);
      expect(said, path).toContain('Callers over HTTP cannot import from this path.');
      expect(said, path).toContain(`Give a path inside one of these folders: ${allowed}.`);
    }
    expect(await call('get_conversations', {})).toMatchObject({ total: 0 });
    const path = join(allowed, 'chat.md');
    expect(await call('import_conversations', { path })).toMatchObject({ added: 1 });
    await client.close();
  });
});

it('a remote import reads no path without the setting, and the error shows how to allow one', async () => {
  await withHttpPlace({}, async ({ url, root }) => {
    const { allowed } = await layExports(root);
    const { client, result } = await connectHttp(url);
    const path = join(allowed, 'chat.md');
    const { isError, content } = await result('import_conversations', { path });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain('DAYBOOK_IMPORT_FOLDERS');
    await client.close();
  });
});
