/**
 * Finds copies that sync programs make of a file that was changed on two machines, such as
 * `conversation (conflicted copy).json`. Daybook does not read them.
 */
import { basename, join, parse } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import { ABSENT } from '../../files/file-errors.js';
import { BROKEN_PART } from '../../files/paths/broken-names.js';
import { entriesNow, listFolders } from '../../files/paths/folders.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import type { GraphFiles } from '../../stores/knowledge-graph/log/graph-files.js';
import type { Check, CheckContext } from '../check.js';

export const conflictCopyCheck = (logsFolder: string, graph: GraphFiles): Check => ({
  name: 'conflict copies',
  async run(context) {
    checkFolder(logsFolder, ['state.json'], 'To keep a value of it, copy it by hand.', context);
    const slice = new TimeSlice({ readsDisk: true, signal: context.signal });
    for (const id of await listFolders(logsFolder)) {
      if (!CONVERSATION_ID.test(id)) continue;
      context.signal.throwIfAborted();
      const hint = `To keep messages that only the copy has, add them with daybook edit ${id}. Then remove the copy.`;
      checkFolder(join(logsFolder, id), ['conversation.json'], hint, context);
      if (slice.isSpent()) await slice.yield();
    }
    const { folder, locks: _locks, ...files } = graph;
    const ofGraph = `To keep facts that only the copy has, append all of its lines to ${graph.wal}: the order of the lines has no effect. Then remove the copy.`;
    const names = Object.values(files).map((path) => basename(path));
    checkFolder(folder, names, ofGraph, context);
  },
});

/** The other checks report a folder that this user may not list. */
const NOT_LISTED = [...ABSENT, 'EACCES'];

/** `names`: the files that Daybook keeps in the folder. */
function checkFolder(
  folder: string,
  names: readonly string[],
  hint: string,
  { countChecked, found }: CheckContext,
): void {
  for (const entry of entriesNow(folder, NOT_LISTED)) {
    if (!entry.isFile()) continue;
    const { name } = entry;
    const original = names.find((known) => isCopyOf(name, known));
    if (original === undefined || names.includes(name) || BROKEN_PART.test(name)) continue;
    countChecked();
    found({
      severity: 'warning',
      path: join(folder, name),
      message: `This is not a file of Daybook: it seems to be a copy of ${original} that a sync program made. Daybook does not read it.`,
      hint,
    });
  }
}

/**
 * `state (conflicted copy).json` is a copy of `state.json`. `state2.json` is not: sync programs put a space or
 * a punctuation mark after the name.
 */
function isCopyOf(name: string, original: string): boolean {
  const { name: stem, ext } = parse(original);
  return (
    name.startsWith(stem) && /^[^\p{L}\p{N}]/u.test(name.slice(stem.length)) && name.endsWith(ext)
  );
}
