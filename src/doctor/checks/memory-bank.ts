/** Checks the memory bank: unreadable notes, names that collide on other systems, insights, the graph. */

import { basename, join } from 'node:path';
import { countOf } from '../../base/display-text.js';
import { undefinedIfUnreadable } from '../../base/errors.js';
import { readWhole } from '../../files/read/json-doc.js';
import { CONFLICT_NOTE, hasMergeConflict } from '../../stores/conflict-markers.js';
import { readInsight } from '../../stores/insights/insight-file.js';
import type { InsightStore } from '../../stores/insights/insights.js';
import { INSIGHT_ID } from '../../stores/insights/schema.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import { readGraph } from '../../stores/knowledge-graph/log/replay.js';
import type { MemoryBank } from '../../stores/memory-bank/memory-bank.js';
import { type Check, type Found, unreadable } from '../check.js';
import { isRepairableJson, type JsonFile, type RepairOptions, repairJson } from '../repair-json.js';

export const noteCheck = (bank: MemoryBank): Check => ({
  name: 'notes',
  async run({ countChecked, found, signal }) {
    await bank.refresh();
    const notes = bank.known();
    countChecked(notes.length);
    for (const { path, error } of bank.skipped()) {
      const finding = unreadable(error, join(bank.folder, path));
      // Nothing is wrong with a file that only has the name of no note.
      const severity = error.code === 'VALIDATION_ERROR' ? 'warning' : finding.severity;
      found({ ...finding, severity, message: withoutName(finding.message, path) });
    }
    for (const { path } of notes) {
      signal.throwIfAborted();
      if (hasMergeConflict(await textOf(bank, path))) found(conflictIn(join(bank.folder, path)));
    }
    for (const [first, second] of collidingNames(notes.map(({ path }) => path))) {
      found({
        severity: 'warning',
        path: join(bank.folder, second),
        message: `On Windows and macOS, ${second} and ${first} would be the same file.`,
        hint: 'Rename one of them.',
      });
    }
  },
});

/** The text of a note; empty if it cannot be read now. */
const textOf = async (bank: MemoryBank, path: string): Promise<string> =>
  (await undefinedIfUnreadable(bank.read(path)))?.content ?? '';

const conflictIn = (path: string): Found => ({
  severity: 'warning',
  path,
  message: CONFLICT_NOTE,
  hint: 'Nothing is lost: the note has the text of both branches. If the lines are only an example, indent them.',
});

/** The finding has the whole path of the note already. */
const withoutName = (message: string, name: string) =>
  [JSON.stringify(name), name].reduce(
    (text, each) => (text.startsWith(each) ? text.replace(each, 'The note') : text),
    message,
  );

/** Returns pairs of names that differ only in case or Unicode normalization. */
function collidingNames(names: readonly string[]): [string, string][] {
  const seen = new Map<string, string>();
  const twins: [string, string][] = [];
  for (const name of names) {
    const folded = name.normalize('NFC').toLowerCase();
    const first = seen.get(folded);
    if (first !== undefined) twins.push([first, name]);
    else seen.set(folded, name);
  }
  return twins;
}

export const insightCheck = (
  insights: InsightStore,
  bankFolder: string,
  options: RepairOptions,
): Check => ({
  name: 'insights',
  async run({ countChecked, found, signal }) {
    for (const { insight } of await insights.all()) {
      signal.throwIfAborted();
      countChecked();
      const path = join(bankFolder, 'insights', `${insight.id}.json`);
      if (await hasConflictInside(path)) found(conflictInInsight(path, insight.id));
    }
    for (const { name: fileName, error } of insights.damaged()) {
      const path = join(bankFolder, 'insights', fileName);
      const name = basename(fileName, '.json');
      const file: JsonFile = {
        path,
        locksFolder: join(bankFolder, '.locks'),
        lockName: `insight-${name}`,
        check: (value) => void readInsight(value, { id: name, path, modifiedAt: 0 }),
      };
      const isDamaged = error.code === 'CORRUPT' && INSIGHT_ID.test(name);
      const canRepair = isDamaged && (await isRepairableJson(file));
      found({
        ...unreadable(error, path),
        ...(canRepair && { repair: () => repairJson(file, options) }),
      });
    }
  },
});

/** An insight with a conflict can be read, so it is not among the damaged ones. */
async function hasConflictInside(path: string): Promise<boolean> {
  const found = await undefinedIfUnreadable(readWhole(path));
  return hasMergeConflict(found?.bytes.toString() ?? '');
}

const conflictInInsight = (path: string, id: string): Found => ({
  severity: 'warning',
  path,
  message: 'The insight has conflict markers of git. Daybook joins both sides when it reads it.',
  hint: `Nothing is lost. Read it with daybook insight get ${id}, and give the text to keep to daybook insight update ${id} --content: that writes the file again, without markers. Then commit the file.`,
});

export const graphCheck = (kg: KnowledgeGraph): Check => ({
  name: 'knowledge graph',
  async run({ countChecked, found }) {
    const { table, damage, notices, needsHealing } = await readGraph(kg.files);
    countChecked(table.count);
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
