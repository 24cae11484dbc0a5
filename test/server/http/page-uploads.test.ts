/** The names of uploaded files. What the page does with uploads is tested in test/page. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { PageUploads } from '../../../src/server/http/page/page-uploads.js';

it('a long file name with several bytes for each letter is shortened, and keeps its extension', async () => {
  const uploads = new PageUploads();
  const body = Object.assign(Readable.from([Buffer.from('{}')]), { headers: {} });
  const { path } = await uploads.take(
    `${'会'.repeat(150)}.json`,
    body as unknown as IncomingMessage,
  );
  expect(basename(path)).toMatch(/^会+\.json$/);
  expect(readFileSync(path, 'utf8')).toBe('{}');
  await uploads.close();
});
