/**
 * Reads and writes of Daybook compared with better-sqlite3 with the usual schema of a thread store (threads,
 * messages, FTS5 by triggers, WAL). Both take turns in one run on the same data. Each case runs up to 500
 * times before it is timed, so that both are warm as in a server that is in use.
 * `npm --prefix bench ci && npm run build && node bench/threads.mjs [conversations] [messages]`
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../dist/base/clock.js';
import { silentLog } from '../dist/base/log.js';
import { KeywordSearch } from '../dist/search/messages/keyword-search.js';
import { openConversationStore } from '../dist/stores/conversations/conversations.js';
import { replaceFloor } from './support/replace-floor.mjs';
import { Database } from './support/sqlite.mjs';

const CONVERSATIONS = Number(process.argv[2] ?? 10_000);
const MESSAGES = Number(process.argv[3] ?? 200_000);
const LONG_THREAD = Math.min(10_000, Math.floor(MESSAGES / 4));
const WORDS = 30_000;
const LEAST_ROUNDS = 20;
const MOST_ROUNDS = 500;
const BUDGET_MS = 2_000;
const folder = mkdtempSync(join(tmpdir(), 'daybook-threads-'));

// Deterministic text: word frequencies after Zipf, 20 to 120 words a message.
let seed = 20251225;
const random = () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const word = () => `w${Math.floor(WORDS ** random()).toString(36)}`;
const text = () => Array.from({ length: 20 + Math.floor(random() * 100) }, word).join(' ');

const base = Date.UTC(2025, 0, 1);
const idOf = (n) => {
  const ms = base + n * 600_000;
  return `${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}-${ms}`;
};

function conversation(n, size) {
  const createdAt = new Date(base + n * 600_000).toISOString();
  const messages = Array.from({ length: size }, (_, i) => ({
    id: `${n.toString(16).padStart(8, '0')}-0000-4000-8000-${i.toString(16).padStart(12, '0')}`,
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: text(),
    createdAt,
  }));
  const head = { conversationId: idOf(n), createdAt, updatedAt: createdAt, messageCount: size };
  return {
    ...head,
    formatVersion: 1,
    title: `Thread ${n}`,
    module: ['discuss', 'plan'][n % 2],
    messages,
  };
}

function openSqlite() {
  const db = new Database(join(folder, 'history.sqlite'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(`
    CREATE TABLE threads (id TEXT PRIMARY KEY, module TEXT NOT NULL, title TEXT,
      createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL, meta TEXT);
    CREATE INDEX idx_threads_updated ON threads(updatedAt DESC);
    CREATE TABLE messages (id TEXT PRIMARY KEY, threadId TEXT NOT NULL, seq INTEGER NOT NULL,
      role TEXT NOT NULL, content TEXT NOT NULL, createdAt TEXT NOT NULL);
    CREATE INDEX idx_messages_thread ON messages(threadId, seq);
    CREATE VIRTUAL TABLE messages_fts USING fts5(threadId, role, content, content=messages, content_rowid=rowid);
    CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
      INSERT INTO messages_fts(rowid, threadId, role, content)
      VALUES (new.rowid, new.threadId, new.role, new.content);
    END;`);
  return db;
}

console.log(`${CONVERSATIONS} conversations, ${MESSAGES} messages, one thread of ${LONG_THREAD}`);
const logs = join(folder, 'conversation-logs');
const db = openSqlite();
const insertThread = db.prepare('INSERT INTO threads VALUES (?, ?, ?, ?, ?, NULL)');
const insertMessage = db.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)');
const size = Math.max(1, Math.floor((MESSAGES - LONG_THREAD) / (CONVERSATIONS - 1)));
db.transaction(() => {
  for (let n = 0; n < CONVERSATIONS; n += 1) {
    const made = conversation(n, n === 0 ? LONG_THREAD : size);
    const { conversationId, module, title, createdAt, updatedAt, messages } = made;
    mkdirSync(join(logs, conversationId), { recursive: true });
    writeFileSync(
      join(logs, conversationId, 'conversation.json'),
      `${JSON.stringify(made, null, 2)}\n`,
    );
    insertThread.run(conversationId, module, title, createdAt, updatedAt);
    for (const [i, { id, role, content }] of messages.entries()) {
      insertMessage.run(id, conversationId, i + 1, role, content, createdAt);
    }
  }
})();

const store = await openConversationStore({ logsFolder: logs, fsync: true, maxMessages: 1e6 });
const search = new KeywordSearch({
  store,
  cachePath: undefined,
  clock: systemClock,
  log: silentLog,
});
const built = performance.now();
search.start();
while (!search.status().isBuilt) await new Promise((resolve) => setTimeout(resolve, 50));
console.log(`index built in ${Math.round(performance.now() - built)} ms`);

const long = idOf(0);
const query = (q) => ({ query: q, matchType: 'fts5', filters: {}, limit: 10, offset: 0 });
const ftsSearch = db.prepare(`
  SELECT t.id, t.module, t.title, m.id, m.seq, snippet(messages_fts, 2, '<mark>', '</mark>', '...', 32)
  FROM messages_fts JOIN messages m ON m.rowid = messages_fts.rowid JOIN threads t ON t.id = m.threadId
  WHERE messages_fts MATCH ? ORDER BY messages_fts.rank LIMIT 10`);
const listThreads = db.prepare(`
  SELECT id, module, title, createdAt, updatedAt,
    (SELECT COUNT(*) FROM messages WHERE threadId = threads.id) AS messageCount
  FROM threads ORDER BY updatedAt DESC LIMIT 100`);
const lastMessages = db.prepare(
  'SELECT id, seq, role, content, createdAt FROM messages WHERE threadId = ? ORDER BY seq DESC LIMIT 25',
);
const queries = {
  common: 'w1',
  middling: 'wa8',
  rare: `w${(WORDS - 7).toString(36)}`,
  and: 'w2 wz',
};
const cases = [
  {
    name: 'list 100 threads',
    figureMs: 2,
    ours: async () => (await store.list()).slice(0, 100),
    theirs: () => listThreads.all(),
  },
  {
    name: 'last 25 messages of the long thread',
    figureMs: 3,
    ours: async () => (await store.load(long)).messages.slice(-25),
    theirs: () => lastMessages.all(long),
  },
  ...Object.entries(queries).map(([name, q]) => ({
    name: `search, ${name} (${q})`,
    figureMs: 8,
    ours: () => search.search(query(q)),
    theirs: () => ftsSearch.all(q),
  })),
];

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
async function measured(work, into) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  into.wall.push(performance.now() - start);
  const { user, system } = process.cpuUsage(cpu);
  into.cpu.push((user + system) / 1000);
}

/** Short cases run more often than long ones. */
async function inTurn(ours, theirs, daybook, sqlite) {
  const start = performance.now();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (round >= LEAST_ROUNDS && performance.now() - start > BUDGET_MS) return;
    await measured(ours, daybook);
    await measured(theirs, sqlite);
  }
}

console.log('| what | Daybook ms (CPU) | SQLite ms (CPU) | SQLite / Daybook | figure ms |');
console.log('|---|---|---|---|---|');
for (const { name, figureMs, ours, theirs } of cases) {
  const daybook = { wall: [], cpu: [] };
  const sqlite = { wall: [], cpu: [] };
  await inTurn(ours, theirs, { wall: [], cpu: [] }, { wall: [], cpu: [] });
  await inTurn(ours, theirs, daybook, sqlite);
  const [a, b] = [median(daybook.wall), median(sqlite.wall)];
  const cell = (times) => `${median(times.wall).toFixed(3)} (${median(times.cpu).toFixed(3)})`;
  console.log(
    `| ${name} | ${cell(daybook)} | ${cell(sqlite)} | ${(b / a).toFixed(2)} | ${figureMs ?? ''} |`,
  );
}

// Daybook's append replaces the file: beside the least that this can cost, in the same run and in turn.
const appends = { wall: [], cpu: [] };
const floor = { wall: [], cpu: [] };
const floorFolder = join(folder, 'floor');
mkdirSync(floorFolder);
for (let round = 0; round < 240; round += 1) {
  const id = idOf(5 + (round % 8)); // so that none becomes a long one
  const bytes = readFileSync(join(logs, id, 'conversation.json'));
  const content = text();
  const add = () => store.append(id, [{ role: 'user', content }]);
  const replace = () => replaceFloor(floorFolder, bytes, true);
  const pair = [
    [add, appends],
    [replace, floor],
  ];
  for (const [work, into] of round % 2 === 0 ? pair : pair.reverse()) await measured(work, into);
}
const above = median(appends.wall.map((ms, round) => ms - floor.wall[round]));
console.log(
  `\nappend one message to threads of ${size} and more: ${median(appends.wall).toFixed(2)} ms, ` +
    `the file system's floor ${median(floor.wall).toFixed(2)} ms: ${above.toFixed(2)} ms above (figure 1)`,
);

await search.close();
await store.close();
db.close();
rmSync(folder, { recursive: true });
