/** Checks the files of the knowledge graph: damaged lines, and files that must be written again. */
import { countOf } from '../../base/text/display-text.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import { readGraph } from '../../stores/knowledge-graph/log/replay.js';
import type { Check, Found } from '../check.js';

export const graphCheck = (kg: KnowledgeGraph): Check => ({
  name: 'knowledge graph',
  async run({ countChecked, found }) {
    const content = await readGraph(kg.files);
    const { table, damage, notices, needsHealing, log, sidecar } = content;
    countChecked(table.count);
    if (content.lacksSnapshot) return found(lostSnapshot(kg.files.snapshot));
    // A compaction leaves a log that has at least its head.
    if (sidecar !== undefined && log.offset === 0) found(lostLog(kg.files.wal));
    const repair = async () => {
      const saved = await kg.save();
      const kept = damage.length > 0 ? ` The damaged lines are in ${kg.files.rejects}.` : '';
      return `The graph was written again with ${countOf(saved?.triples ?? table.count, 'fact')}.${kept}`;
    };
    const isDamaged = damage.length > 0 || needsHealing;
    const [first] = notices;
    if (first === undefined) return;
    // The notices of a damage belong together, and one repair is for all of them.
    found({
      severity: isDamaged ? 'error' : 'note',
      path: first.startsWith(kg.files.wal) ? kg.files.wal : kg.files.snapshot,
      message: notices.join(' '),
      hint: isDamaged
        ? 'Daybook uses all facts that it can read. daybook doctor --repair writes the files again and copies the damaged lines to another file.'
        : 'No data is lost. The next snapshot, or daybook doctor --repair, writes the files again.',
      repair,
    });
  },
});

const lostSnapshot = (path: string): Found => ({
  severity: 'warning',
  path,
  message:
    'The snapshot of the knowledge graph is missing, and so are the facts in it: the log continues it.',
  hint: 'If git, a backup or a sync program has the file, restore it from there; where the files are committed to git, commit both. Otherwise run daybook kg save, which writes a snapshot without these facts.',
});

const lostLog = (path: string): Found => ({
  severity: 'warning',
  path,
  message:
    'The log of the knowledge graph is missing or empty, so facts that were added after the snapshot may be lost.',
  hint: 'If git, a backup or a sync program has the file, restore it from there. Otherwise run daybook kg save, which begins a new log.',
});
