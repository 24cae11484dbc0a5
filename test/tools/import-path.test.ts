/** The path of import_conversations from a local caller: the server may have started in any folder. */
import { expect, it } from 'vitest';
import { folderWith, lines } from '../import/bench.js';
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

it('an import says how many files it copied, also at a later import of the same export', async () => {
  const path = folderWith({
    'projects/p/s.jsonl': lines({
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: 's',
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'Which flower is this?' },
          {
            type: 'image',
            source: {
              type: 'base64',
              media_type: 'image/png',
              data: Buffer.from('a').toString('base64'),
            },
          },
        ],
      },
    }),
  });
  const { session } = opened;
  expect(await session.call('import_conversations', { path })).toMatchObject({ attachments: 0 });
  const again = await session.call('import_conversations', { path, attachments: true });
  expect(again).toMatchObject({ unchanged: 1, attachments: 1 });
});
