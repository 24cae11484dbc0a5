/** The path of import_conversations from a local caller: the server may have started in any folder. */
import { expect, it } from 'vitest';
import { useToolSession } from '../support/tool-session.js';

const opened = useToolSession();

it.each([
  'export.zip',
  '~/export.zip',
])('an import asks for an absolute path instead of %s', async (path) => {
  const refused = await opened.session.failure('import_conversations', { path });
  expect(refused).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('not an absolute path'),
  });
});
