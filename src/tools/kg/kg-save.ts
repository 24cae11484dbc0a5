/** The tool `kg_save`: writes a new snapshot of the knowledge graph now. */
import { z } from 'zod';
import { CHANGES, defineTool, optionalInt, success } from '../define-tool.js';

export const kgSave = defineTool({
  name: 'kg_save',
  aliases: ['kg/save'],
  toolset: 'kg',
  title: 'Write a snapshot of the graph',
  description:
    'Writes all facts into a new snapshot, which Daybook also does automatically. Use it before a git commit, or after the files were merged or repaired.',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      success,
      saved: z
        .boolean()
        .describe('False if another process was writing a snapshot at the same time.'),
      generation: z.int().exactOptional(),
      triples: optionalInt('Number of facts in the snapshot, including ended facts.'),
      snapshotBytes: z.int().exactOptional(),
    }),
  annotations: { ...CHANGES, destructiveHint: false },
  async run(_input, { kg }, { signal, progress }) {
    const onProgress = (done: number, total: number) => progress({ progress: done, total });
    const saved = await kg.save({ signal, onProgress });
    return { saved: saved !== undefined, ...saved };
  },
});
