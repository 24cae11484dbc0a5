/**
 * The tool `backup`: writes one archive of all data and compares it with the files. No tool restores an
 * archive; a person does that with `daybook restore`.
 */
import { z } from 'zod';
import { defineTool, REMOVES, success } from '../define-tool.js';

const MAX_LEFT_OUT = 20;

export const backup = defineTool({
  name: 'backup',
  toolset: 'admin',
  title: 'Back up the store',
  description:
    'Writes all conversations, notes, insights and facts into one dated archive (.tar.gz), checks it, then removes old backups. Tell the user the path; `daybook restore <path>` in a terminal restores it.',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      success,
      path: z.string(),
      createdAt: z.string(),
      sizeBytes: z.int(),
      files: z.int().describe('Files in the archive.'),
      dataBytes: z.int().describe('Size of the files before compression.'),
      leftOut: z
        .array(z.object({ name: z.string(), reason: z.string() }))
        .describe('Files that are not in the archive (at most 20 are named).'),
      leftOutTotal: z.int(),
      isComplete: z.boolean().describe('False if a file was left out because of an error.'),
      removed: z.array(z.string()).describe('Old backups that were removed.'),
    }),
  annotations: REMOVES,
  async run(_input, { backups }, { signal, progress }) {
    const report = await backups.make({
      signal,
      onFile: (count) => count % 100 === 0 && progress({ progress: count }),
    });
    return {
      ...report,
      leftOut: report.leftOut.slice(0, MAX_LEFT_OUT),
      leftOutTotal: report.leftOut.length,
      removed: [...report.removed],
    };
  },
});
