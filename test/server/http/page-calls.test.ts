/** The tool calls of the page have the errors of MCP calls. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.js';
import { PageCalls } from '../../../src/server/http/page/page-calls.js';
import { PageUploads } from '../../../src/server/http/page/page-uploads.js';
import { withHttpPlace } from '../../support/http-place.js';

it('refuse a store that another process encrypts, and know the trash', async () => {
  await withHttpPlace({}, async ({ app, root }) => {
    const calls = new PageCalls(() => app, silentLog, new PageUploads());
    const call = (name: string, args = {}) => calls.run(name, args, new AbortController().signal);
    const message = { role: 'user', content: 'Hello', conversationId: 'plan' };
    expect(await call('save_message', message)).toMatchObject({ status: 200 });
    await call('delete_conversation', { conversationId: 'plan' });
    expect(await call('get_conversation', { conversationId: 'plan' })).toMatchObject({
      body: { error: { code: 'CONVERSATION_NOT_FOUND', details: { isInTrash: true } } },
    });
    const converting = { to: null };
    const marker = { format: 'daybook-encryption', version: 1, key: null, converting };
    writeFileSync(join(root, 'conversation-logs', 'encryption.json'), JSON.stringify(marker));
    for (const name of ['get_conversations', 'mb_list', 'store_info'])
      expect(await call(name)).toMatchObject({ body: { error: { code: 'LOCKED' } } });
  });
});
