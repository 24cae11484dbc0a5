/** Attachments of messages that an import stores in a branch, because the conversation was continued here. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith, openImportBench } from './bench.js';

const node = (id: string, parent: string | null, file?: string) => ({
  id,
  parent,
  message: {
    id: `message-0000-0000-${id}`,
    author: { role: 'user' },
    content: { content_type: 'text', parts: [`text of ${id}`] },
    ...(file !== undefined && { metadata: { attachments: [{ id: file, name: 'a.txt' }] } }),
  },
});

/** An export with one conversation, and the files that its messages name. */
function exportOf(nodes: readonly ReturnType<typeof node>[], files: readonly string[]): string {
  const mapping = Object.fromEntries(nodes.map((each) => [each.id, each]));
  const conversation = {
    id: 'c-1',
    create_time: 1737724800,
    current_node: nodes.at(-1)?.id,
    mapping,
  };
  return folderWith({
    'conversations.json': JSON.stringify([conversation]),
    ...Object.fromEntries(files.map((file) => [`${file}.txt`, 'content'])),
  });
}

it('a branch that an import made has the attachments that its messages name', async () => {
  const bench = await openImportBench();
  const start = [node('a', null, 'file-A1'), node('b', 'a')];
  await bench.import(exportOf(start, ['file-A1']), { attachments: true });
  const { conversationId } = bench.bySource('c-1');
  await bench.store.append(conversationId, [{ role: 'user', content: 'continued here' }]);
  const later = exportOf([...start, node('c', 'b', 'file-C3')], ['file-A1', 'file-C3']);
  const report = await bench.import(later, { attachments: true });
  const [branch = ''] = report.branched.map(
    (parent) => bench.folders().find((name) => name !== parent) ?? '',
  );
  const namesIn = (id: string) => {
    const folder = join(bench.logsFolder, id, 'attachments');
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  };
  expect([namesIn(conversationId), namesIn(branch)]).toEqual([['file-A1.txt'], ['file-C3.txt']]);
  const before = bench.hash();
  expect((await bench.import(later, { attachments: true })).attachments).toBe(0);
  expect(bench.hash()).toBe(before);
});
