/**
 * A conversation file of 200 MB: the time of the first `load`, compared with reading the bytes and JSON.parse
 * only; the time to read 40 of its messages after it was indexed; and the longest time for which the event
 * loop was blocked. The file has the ids that Daybook writes, and then no ids, as a file written by hand.
 * `npm run build && node bench/large-conversation.mjs [megabytes]`
 */
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConversationStore } from '../dist/stores/conversations/conversations.js';

const BYTES = Number(process.argv[2] ?? 200) * 1_000_000;
const ID = '20250301-1740787200000';
const TEXT = 'The river rises in the hills and goes down to the sea. '.repeat(35);

function write(path, hasIds) {
  const file = openSync(path, 'w');
  let written = writeSync(file, `{"conversationId":"${ID}","title":"Large","messages":[`);
  for (let at = 1; written < BYTES; at += 1) {
    const role = at % 2 ? 'user' : 'assistant';
    const message = { ...(hasIds && { id: `message-${at}` }), role, content: `${at} ${TEXT}` };
    written += writeSync(file, `${at === 1 ? '' : ','}${JSON.stringify(message, null, 2)}`);
  }
  writeSync(file, ']}');
  closeSync(file);
}

/** How long `work` takes, and the longest time between two turns of the event loop. */
async function measured(work) {
  let isOver = false;
  let longest = 0;
  let last = performance.now();
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  await new Promise((done) => setImmediate(done));
  isOver = true;
  return { ms, longest };
}

const shown = ({ ms, longest }) =>
  `${String(Math.round(ms)).padStart(6)} ms   loop not free for at most ${Math.round(longest)} ms`;

for (const hasIds of [true, false]) {
  const logsFolder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  try {
    const path = join(logsFolder, ID, 'conversation.json');
    mkdirSync(join(logsFolder, ID));
    write(path, hasIds);
    let bytes = readFileSync(path);
    const disk = await measured(async () => {
      bytes = readFileSync(path);
    });
    const parse = await measured(async () => JSON.parse(bytes.toString()));
    bytes = undefined;
    const store = await openConversationStore({ logsFolder, maxMessages: 1e6, fsync: false });
    const load = await measured(() => store.load(ID));
    const again = await measured(() => store.load(ID));
    const { messageCount } = (await store.part(ID, { count: 0 })).head;
    await store.close();
    const other = await openConversationStore({ logsFolder, maxMessages: 1e6, fsync: false });
    await other.refresh(); // as for the search index: the file is read once, and not held
    const middle = { first: Math.floor(messageCount / 2), count: 40 };
    const page = await measured(() => other.part(ID, middle));
    const title = await measured(() => other.update(ID, { title: 'Changed' }));
    await other.close();
    console.log(`${BYTES / 1_000_000} MB, ${hasIds ? 'with ids' : 'without ids'}`);
    console.log(`  bytes from the disk    ${shown(disk)}`);
    console.log(`  JSON.parse             ${shown(parse)}`);
    console.log(`  load                   ${shown(load)}`);
    console.log(`  load again             ${shown(again)}`);
    console.log(`  40 of its messages     ${shown(page)}`);
    console.log(`  change of the title    ${shown(title)}`);
    console.log(`  load / (disk + parse)  ${(load.ms / (disk.ms + parse.ms)).toFixed(2)}`);
  } finally {
    rmSync(logsFolder, { recursive: true, force: true });
  }
}
