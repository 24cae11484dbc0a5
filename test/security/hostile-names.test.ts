/**
 * For every name that Daybook uses below a root, and in the user's folders of caches and settings: an
 * attacker puts another kind of file there, or replaces it by a link while it is written. Daybook creates,
 * reads and changes nothing outside. No call hangs, and the answer or the log names the file. The calls run
 * in a process of their own, which is killed if it hangs.
 */
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/base/ids.js';
import type { HostileAnswer, HostileTask } from '../crash/children/hostile-calls.js';
import { Child } from '../support/child.js';
import { memoryFolder } from '../support/memory-folder.js';
import { rounds, sampled } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';

const ID = '20250124-1706102400123';
const OTHER = '20250124-1706102400124';
const INSIGHT = '0b8f2c1e-5a77-4c7e-9d51-3f0f5c1f7a11';
const DELETED = '20260101T000000000Z';
const VERSION = '0001.20260101T000000000Z.edit.json';
/** As `keyLockName` in key-lock.ts returns it. */
const KEY_LOCK = `key-${sha256Hex('key').slice(0, 32)}`;
const ARCHIVE = 'conversations-2025-01.tar.gz';
const SECRET = 'the-secret-outside';
/** Much longer than any of these calls takes. A call that is not finished by then hangs. */
const HANGS_MS = 240_000;
/** How often the calls run while a name is swapped. */
const ROUNDS = rounds(4);
/** A cache is made from this number of messages on (save-schedule.ts). */
const CACHED_MESSAGES = 2_000;

/** The hash as `get_conversation` returns it. */
const hashOf = (content: string) => sha256Hex(content).slice(0, 16);

const CALLS = {
  show: ['get_conversation', { conversationId: ID }],
  list: ['get_conversations', {}],
  save: ['save_message', { conversationId: ID, role: 'user', content: 'hello' }],
  search: ['search_messages', { query: 'hello' }],
  recall: ['get_relevant_snippets', { query: 'what was said about the hello' }],
  job: ['get_conversation_history', { conversationId: ID }],
  state: ['set_state', { contextWindow: 3 }],
  getState: ['get_state', {}],
  merge: ['merge_conversations', { conversationId1: ID, conversationId2: OTHER }],
  delete: ['delete_conversation', { conversationId: ID }],
  deleteForGood: ['delete_conversation', { conversationId: ID, permanent: true }],
  export: ['export_conversations', { file: 'all.jsonl' }],
  import: ['import_conversations', { file: 'all.jsonl' }],
  importNote: ['import_conversations', { text: '# Plan', name: 'plan.md', from: 'vault' }],
  summary: ['get_progressive_detail', { conversationId: ID }],
  query: ['kg_query', { subject: 'Ada' }],
  stats: ['kg_stats', {}],
  add: ['kg_add', { subject: 'Ada', predicate: 'knows', object: 'Grace' }],
  compact: ['kg_save', {}],
  graphExport: ['kg_export', { file: 'facts.jsonl' }],
  graphImport: ['kg_import', { file: 'facts.jsonl' }],
  insights: ['list_insights', { context: 'global' }],
  insight: ['save_insight', { context: 'global', content: 'text' }],
  removeInsight: ['delete_insight', { id: INSIGHT }],
  notes: ['mb_list', {}],
  note: ['mb_add', { path: 'new.md', content: 'text' }],
  readNote: ['mb_read', { path: 'note.md' }],
  noteInFolder: ['mb_add', { path: 'ideas/new.md', content: 'text' }],
  removeNote: ['mb_delete', { path: 'kept.md' }],
  backup: ['backup', {}],
  info: ['store_info', {}],
  providers: ['configure_llm_provider', {}],
  provider: ['configure_llm_provider', { action: 'set', name: 'mine', kind: 'ollama', model: 'm' }],
  edit: [
    'update_message',
    { conversationId: ID, messageId: 'hello 0', hash: hashOf('hello 0'), content: 'hello again' },
  ],
  policy: ['set_retention_policy', { rules: [{ olderThanDays: 36_500 }] }],
  prune: ['prune_conversations', {}],
  // These are steps of hostile-calls.ts.
  start: ['start', {}],
  build: ['build', {}],
  merged: ['merged', {}],
  restore: ['restore', { of: ID }],
  restoreNote: ['restoreNote', { of: `${DELETED}/note.md` }],
  restoreInsight: ['restoreInsight', { of: INSIGHT }],
  archive: ['archive', {}],
  unarchive: ['unarchive', { of: ID }],
  archived: ['archived', {}],
  versions: ['versions', { of: ID }],
  key: ['save_message', { conversationId: 'key', role: 'user', content: 'hello' }],
  leaseArchive: ['lease', { of: 'conversation-logs/.leases/archive' }],
  leaseWatch: ['lease', { of: 'conversation-logs/.leases/import-watch' }],
  leaseBackup: ['lease', { of: 'conversation-logs/.leases/backup' }],
  leaseImport: ['lease', { of: 'conversation-logs/.leases/import' }],
  leaseSummaries: ['lease', { of: 'conversation-logs/.leases/summaries' }],
  leaseRun: ['lease', { of: `conversation-logs/.leases/${ID}` }],
  vectors: ['vectors', {}],
  importedLogs: ['importedLogs', {}],
  figures: ['get_analytics', {}],
} as const satisfies Record<string, readonly [string, Record<string, unknown>]>;

type Call = keyof typeof CALLS;
const LOGS = 'conversation-logs';
const BANK = 'memory-bank';
const CACHE = '../.cache/daybook';
const SETTINGS = '../.config/daybook';
/** Stands for the hash in the name of a root's cached index. */
const HASH = '<hash>';

/**
 * Names, and the calls that use each. A call does not report a quiet name: Daybook does not open it unless it
 * is a regular file, or works without it.
 */
const NAMES: readonly { name: string; calls: readonly Call[]; isQuiet?: true }[] = [
  { name: LOGS, calls: ['list', 'save'] },
  { name: `${LOGS}/.gitignore`, calls: ['list', 'save'] },
  { name: `${LOGS}/state.json`, calls: ['state', 'getState'] },
  { name: `${LOGS}/${ID}`, calls: ['show', 'list', 'save', 'search', 'recall', 'delete'] },
  { name: `${LOGS}/${ID}/conversation.json`, calls: ['show', 'list', 'save', 'search', 'backup'] },
  { name: `${LOGS}/${ID}/job.json`, calls: ['start', 'job', 'list', 'backup'] },
  { name: `${LOGS}/${ID}/summaries.json`, calls: ['summary', 'save', 'backup'] },
  { name: `${LOGS}/${ID}/versions`, calls: ['edit', 'backup'] },
  {
    name: `${LOGS}/${ID}/versions/${VERSION}`,
    calls: ['versions', 'edit', 'backup'],
    isQuiet: true,
  },
  { name: `${LOGS}/${ID}/attachments`, calls: ['backup', 'delete', 'restore'] },
  { name: `${LOGS}/${ID}/attachments/picture.json`, calls: ['backup', 'delete', 'restore'] },
  { name: `${LOGS}/retention.json`, calls: ['policy', 'prune', 'info'] },
  { name: `${LOGS}/retention-last-run.json`, calls: ['info'], isQuiet: true },
  { name: `${LOGS}/imported-notes.json`, calls: ['importNote'] },
  { name: `${LOGS}/encryption.json`, calls: ['list', 'save'] },
  { name: `${LOGS}/.locks`, calls: ['start', 'save', 'state'] },
  { name: `${LOGS}/.locks/${ID}`, calls: ['start', 'save', 'delete'] },
  { name: `${LOGS}/.locks/state`, calls: ['state'] },
  { name: `${LOGS}/.locks/${KEY_LOCK}`, calls: ['key'] },
  { name: `${LOGS}/.locks/retention`, calls: ['policy'] },
  { name: `${LOGS}/.leases`, calls: ['start', 'leaseBackup', 'leaseRun'] },
  { name: `${LOGS}/.leases/backup.lock`, calls: ['start', 'leaseBackup'] },
  { name: `${LOGS}/.leases/archive.lock`, calls: ['archive', 'leaseArchive'] },
  { name: `${LOGS}/.leases/import-watch.lock`, calls: ['leaseWatch'] },
  { name: `${LOGS}/.leases/import.lock`, calls: ['leaseImport'] },
  { name: `${LOGS}/.leases/summaries.lock`, calls: ['leaseSummaries'] },
  { name: `${LOGS}/.leases/${ID}.lock`, calls: ['leaseRun'] },
  { name: `${LOGS}/.leases/backup.owner`, calls: ['leaseBackup', 'start'], isQuiet: true },
  { name: `${LOGS}/.leases/${ID}.owner`, calls: ['leaseRun'], isQuiet: true },
  { name: `${LOGS}/.merging`, calls: ['start', 'merged', 'merge'] },
  { name: `${LOGS}/.merging/${ID}.json`, calls: ['start', 'merged'], isQuiet: true },
  { name: `${LOGS}/.trash`, calls: ['delete', 'merged', 'restore', 'deleteForGood'] },
  { name: `${LOGS}/.trash/${ID}.${DELETED}`, calls: ['merged', 'restore', 'backup'] },
  {
    name: `${LOGS}/.trash/${ID}.${DELETED}/conversation.json`,
    calls: ['merged', 'deleteForGood', 'restore', 'show', 'backup'],
  },
  { name: BANK, calls: ['query', 'add', 'notes', 'note', 'insights', 'insight'] },
  { name: `${BANK}/.locks`, calls: ['start', 'add', 'note', 'insight'] },
  { name: `${BANK}/.locks/kg`, calls: ['add', 'compact'] },
  { name: `${BANK}/.locks/notes`, calls: ['note', 'removeNote'] },
  { name: `${BANK}/.locks/git.gitignore`, calls: ['add', 'note'] },
  { name: `${BANK}/.locks/git.gitattributes`, calls: ['add', 'note'] },
  { name: `${BANK}/.locks/insight-${INSIGHT}`, calls: ['removeInsight', 'restoreInsight'] },
  { name: `${BANK}/.locks/.gitignore`, calls: ['add', 'note'], isQuiet: true },
  { name: `${BANK}/.trash/.gitignore`, calls: ['removeNote'], isQuiet: true },
  { name: `${BANK}/.gitignore`, calls: ['add', 'note'] },
  { name: `${BANK}/.gitattributes`, calls: ['add', 'note'] },
  { name: `${BANK}/kg_wal.log`, calls: ['query', 'stats', 'add', 'compact', 'backup'] },
  { name: `${BANK}/kg_snapshot.json`, calls: ['query', 'stats', 'add', 'compact', 'backup'] },
  { name: `${BANK}/kg_snapshot.sha256`, calls: ['query', 'stats', 'compact', 'backup'] },
  { name: `${BANK}/kg_snapshot.previous.json`, calls: ['add', 'compact', 'compact'] },
  { name: `${BANK}/kg_wal.previous.log`, calls: ['add', 'compact', 'compact'] },
  { name: `${BANK}/kg_rejects.log`, calls: ['query', 'stats', 'add', 'compact'] },
  { name: `${BANK}/insights`, calls: ['insights', 'insight'] },
  { name: `${BANK}/insights/${INSIGHT}.json`, calls: ['insights', 'info', 'removeInsight'] },
  { name: `${BANK}/note.md`, calls: ['notes', 'readNote', 'backup'] },
  { name: `${BANK}/ideas`, calls: ['notes', 'noteInFolder', 'backup'] },
  { name: `${BANK}/.trash`, calls: ['removeNote', 'restoreNote', 'removeInsight'] },
  { name: `${BANK}/.trash/${DELETED}`, calls: ['restoreNote', 'readNote', 'backup'] },
  { name: `${BANK}/.trash/${DELETED}/note.md`, calls: ['restoreNote', 'readNote', 'backup'] },
  { name: `${BANK}/.trash/insights`, calls: ['removeInsight', 'restoreInsight'] },
  {
    name: `${BANK}/.trash/insights/${INSIGHT}.${DELETED}.json`,
    calls: ['restoreInsight', 'insights', 'backup'],
  },
  { name: 'archive', calls: ['archive', 'unarchive', 'archived', 'backup'] },
  { name: 'archive/.gitignore', calls: ['archive'] },
  { name: `archive/${ARCHIVE}`, calls: ['unarchive', 'archived', 'archive', 'backup'] },
  { name: 'backups', calls: ['backup', 'start'] },
  { name: 'backups/.gitignore', calls: ['backup'] },
  { name: 'exports', calls: ['export', 'import', 'graphExport', 'graphImport'] },
  { name: 'exports/all.jsonl', calls: ['export', 'import'] },
  { name: 'exports/facts.jsonl', calls: ['graphExport', 'graphImport'] },
  { name: 'exports/.gitignore', calls: ['export'] },
  { name: `${CACHE}/index`, calls: ['build', 'search'] },
  { name: `${CACHE}/index/${HASH}.bin`, calls: ['build', 'search'] },
  { name: `${CACHE}/index/${HASH}.bin.lock`, calls: ['build', 'search'] },
  { name: `${CACHE}/index/${HASH}.bin.owner`, calls: ['build', 'search'], isQuiet: true },
  { name: `${CACHE}/index/${HASH}.recall.bin`, calls: ['build', 'recall'] },
  { name: `${CACHE}/index/${HASH}.figures.bin`, calls: ['figures', 'figures'] },
  { name: `${CACHE}/index/${HASH}.imports.bin`, calls: ['importedLogs'] },
  { name: `${CACHE}/vectors`, calls: ['vectors'] },
  { name: `${CACHE}/vectors/model`, calls: ['vectors'] },
  { name: `${CACHE}/vectors/model/0123456789abcdef.vectors`, calls: ['vectors'], isQuiet: true },
  { name: `${SETTINGS}/providers.json`, calls: ['providers', 'provider'] },
  { name: `${SETTINGS}/.locks`, calls: ['provider'] },
  { name: `${SETTINGS}/.locks/providers`, calls: ['provider'] },
];

const isFile = ({ name }: { name: string }) =>
  /\.(json|md|log|sha256|jsonl|bin|gz|vectors|owner|git\w+)$/.test(name);

/** What is put at the name. `isRead`: Daybook may read it (a hard link). */
const KINDS: Record<string, { lay(path: string, outside: string): void; isRead?: true }> = {
  'a link to a file outside': { lay: (path, outside) => symlinkSync(join(outside, 'file'), path) },
  'a link to a folder outside': { lay: (path, outside) => symlinkSync(outside, path) },
  'a dangling link': { lay: (path, outside) => symlinkSync(join(outside, 'new'), path) },
  'a pipe': { lay: (path) => void execFileSync('mkfifo', [path]) },
  'a link to a device': { lay: (path) => symlinkSync('/dev/zero', path) },
  // Only root can create a device. A link to one is tested for every user.
  ...(process.getuid?.() === 0 && {
    'a device': { lay: (path: string) => void execFileSync('mknod', [path, 'c', '1', '5']) },
  }),
  'a hard link': { lay: (path, outside) => linkSync(join(outside, 'file'), path), isRead: true },
};

interface Place {
  readonly home: string;
  readonly root: string;
  readonly outside: string;
}

/** A root with data, and a folder outside with a file for each name that a link can lead to. */
function newPlace(messages = 2): Place {
  const home = tempFolder(memoryFolder());
  const [root, outside] = [join(home, 'notes'), join(home, 'outside')];
  const said = (content: string) => ({ id: content, role: 'user', content });
  const many = Array.from({ length: messages }, (_, at) => said(`hello ${at}`));
  put(root, `${LOGS}/${ID}/conversation.json`, { messages: many });
  put(root, `${LOGS}/${OTHER}/conversation.json`, { messages: [said('other')] });
  put(root, `${BANK}/kept.md`, 'kept\n');
  put(root, `${BANK}/kg_wal.log`, '{"damaged":true}\n'); // makes Daybook write kg_rejects.log
  const secret = { messages: [said(SECRET)], content: SECRET, context: 'global' };
  for (const name of ['file', 'conversation.json', 'note.md', `${INSIGHT}.json`]) {
    put(outside, name, secret);
  }
  mkdirSync(join(outside, 'sub'));
  return { home, root, outside };
}

function put(folder: string, name: string, content: unknown): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

function pathOf({ root }: Place, name: string): string {
  const hash = sha256Hex(join(root, LOGS)).slice(0, 32);
  return join(root, name.replace(HASH, hash));
}

const messagesFor = (name: string) => (name.startsWith(CACHE) ? CACHED_MESSAGES : 2);

/** All entries below a folder, with their content. */
const treeOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .map(({ entry, path }) => `${path}: ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`)
    .sort();

let caller: Child | undefined;
afterAll(() => caller?.stop());

async function answersOf(place: Place, calls: readonly Call[]): Promise<HostileAnswer> {
  caller ??= new Child('hostile-calls', {});
  const child = caller;
  const timer = setTimeout(() => child.kill('SIGKILL'), HANGS_MS);
  const { root, home } = place;
  child.send({ root, home, calls: calls.map((call) => CALLS[call]) } satisfies HostileTask);
  try {
    return await child.next<HostileAnswer>();
  } catch (error) {
    caller = undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function expectNothingInside({ answers, log }: HostileAnswer, isRead = false): void {
  for (const text of [...answers, log]) {
    if (!isRead) expect(text).not.toContain(SECRET);
    expect(text).not.toContain('INTERNAL');
  }
}

describe.each(Object.entries(KINDS))('a name of Daybook that is %s', (kind, { lay, isRead }) => {
  // No system has hard links of folders, so names of folders such as locks are left out.
  const names = NAMES.filter((each) => !isRead || isFile(each));
  it.each(sampled(kind, names, 2))('reads, creates and changes nothing outside: $name', async ({
    name,
    calls,
    isQuiet,
  }) => {
    const place = newPlace(messagesFor(name));
    const path = pathOf(place, name);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { recursive: true, force: true });
    lay(path, place.outside);
    const before = treeOf(place.outside);
    const answer = await answersOf(place, calls);
    expectNothingInside(answer, isRead);
    expect(treeOf(place.outside)).toEqual(before);
    // A hard link that Daybook only reads looks like any other file.
    if (isRead || isQuiet) return;
    expect([...answer.answers, answer.log].join('\n')).toContain(basename(path));
  });
});

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();

/** Ignores errors of the system: the other process was between two steps. */
function tryTo(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** Swaps `path` for a link to `outside` and back, again and again, until `work` is done. */
async function whileSwapped<T>(path: string, outside: string, work: Promise<T>): Promise<T> {
  const aside = `${path}.aside`;
  let isOver = false;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const swapping = (async () => {
    while (!isOver) {
      tryTo(() => renameSync(path, aside));
      tryTo(() => symlinkSync(outside, path));
      await turn();
      if (isLink(path)) tryTo(() => rmSync(path));
      tryTo(() => renameSync(aside, path));
      await turn();
    }
  })();
  try {
    return await work;
  } finally {
    isOver = true;
    await swapping;
    rmSync(aside, { recursive: true, force: true });
  }
}

describe('a name that is replaced by a link while Daybook uses it', () => {
  it.each(NAMES)('leads to nothing outside, and works afterwards: $name', async ({
    name,
    calls,
  }) => {
    const place = newPlace(messagesFor(name));
    const path = pathOf(place, name);
    await answersOf(place, calls); // creates the name
    mkdirSync(dirname(path), { recursive: true });
    const before = treeOf(place.outside);
    const target = isFile({ name }) ? join(place.outside, 'file') : place.outside;
    const rounds = Array.from({ length: ROUNDS }, () => calls).flat();
    const answer = await whileSwapped(path, target, answersOf(place, rounds));
    expectNothingInside(answer);
    expect(treeOf(place.outside)).toEqual(before);
    const { answers } = await answersOf(place, calls);
    expect(answers.join('\n')).not.toContain('PATH_ESCAPE');
    // A lease of a dead process ends after 20 s.
    if (!name.includes('.leases')) expect(answers.join('\n')).not.toContain('LOCKED');
  });
});
