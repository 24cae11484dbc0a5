/**
 * The maintenance operations of a store (prune, archive, encrypt, decrypt, redact, repair), each on a small
 * root: its data, how to run it, and the problems of a root afterwards. For tests that stop the operation at
 * any point: the next run must finish the work, and no data may be lost.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '../../src/base/clock.js';
import { convertFile } from '../../src/encryption/re-encrypt-file.js';
import { convertStore } from '../../src/encryption/re-encrypt-store.js';
import { locksFolderIn } from '../../src/files/locks/lock-folders.js';
import { CipherKey } from '../../src/files/sealing/cipher.js';
import { plainSealer } from '../../src/files/sealing/file-sealer.js';
import type { StorePaths } from '../../src/files/sealing/open-stores.js';
import { addKey } from '../../src/files/sealing/sealed-form.js';
import { Archives } from '../../src/maintenance/archives/archives.js';
import { Backups } from '../../src/maintenance/backup/backup.js';
import { CONTENTS_NAME, checkArchive } from '../../src/maintenance/check-archive.js';
import { LastRunFile } from '../../src/maintenance/retention/last-run.js';
import { RetentionPolicyFile } from '../../src/maintenance/retention/policy.js';
import { Retention } from '../../src/maintenance/retention/retention.js';
import { StoreSize } from '../../src/maintenance/size-limit.js';
import { TrashBin } from '../../src/maintenance/trash-bin.js';
import { Redactor } from '../../src/privacy/redactor.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { ConversationRepairer } from '../../src/stores/conversations/repair/conversation-repairer.js';
import { InsightStore } from '../../src/stores/insights/insights.js';
import { graphFiles } from '../../src/stores/knowledge-graph/log/graph-files.js';
import { MemoryBank } from '../../src/stores/memory-bank/memory-bank.js';
import { filesBelow } from './files-below.js';
import { factAbout, subjectsOf, syncedGraphIn } from './synced-graph.js';

export interface CareOperation {
  readonly name: string;
  /** Creates the root with its data. */
  fill(root: string): Promise<void>;
  /** Runs it once, as the command does. `keyFile` is outside the root. Throws the error of the command. */
  run(root: string, keyFile: string, fsync: boolean): Promise<void>;
  /** The problems of the root, wherever the run was stopped; `isDone`: a run has ended. */
  problems(root: string, isDone: boolean): Promise<string[]>;
}

export const DIGITS = 'a1'.repeat(32);
/** A text that all data of a scenario contains. */
const MARK = 'Marienstrasse 12';
const IDS = ['20200101-1577836800001', '20200101-1577836800002', '20200201-1580515200003'];
const NOTE = `# Ada\n\n${MARK}\n`;

const logsOf = (root: string) => join(root, 'conversation-logs');
const bankOf = (root: string) => join(root, 'memory-bank');

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text);
}

function conversationText(id: string): string {
  const createdAt = '2020-01-01T00:00:00.000Z';
  const message = { id: 'm1', role: 'user', content: `${id} at ${MARK}`, createdAt };
  const head = { conversationId: id, createdAt, updatedAt: createdAt, messageCount: 1 };
  const document = { ...head, formatVersion: 1, title: MARK, messages: [message] };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const TEXTS = new Map(IDS.map((id) => [id, conversationText(id)]));

const fillConversations = (root: string) => {
  for (const [id, text] of TEXTS) put(join(logsOf(root), id, 'conversation.json'), text);
  return Promise.resolve();
};

const openStore = (root: string, fsync: boolean) =>
  openConversationStore({ logsFolder: logsOf(root), maxMessages: 100, fsync });

const textAt = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** The conversations that are in one of these folders, byte for byte. */
const wholeIn = (folder: string, nameOf = (id: string) => id) =>
  IDS.filter((id) => textAt(join(folder, nameOf(id), 'conversation.json')) === TEXTS.get(id));

const lost = (there: readonly string[]) =>
  IDS.filter((id) => !there.includes(id)).map((id) => `lost: ${id}`);

async function withStore<T>(
  root: string,
  fsync: boolean,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(root, fsync);
  await store.tidy();
  return work(store).finally(() => store.close());
}

const PRUNE: CareOperation = {
  name: 'prune',
  fill: fillConversations,
  run: (root, _key, fsync) =>
    withStore(root, fsync, async (conversations) => {
      const file = { logsFolder: logsOf(root), clock: systemClock, fsync };
      const insights = new InsightStore({ folder: bankOf(root), fsync });
      const memoryBank = new MemoryBank({ folder: bankOf(root), maxFiles: 100, fsync });
      const retention = new Retention({
        conversations,
        clock: systemClock,
        trashKeepDays: 30,
        trash: new TrashBin({ conversations, insights, memoryBank }),
        size: new StoreSize({ folders: [logsOf(root)], clock: systemClock, limitBytes: undefined }),
        policy: new RetentionPolicyFile(file),
        lastRun: new LastRunFile(file),
      });
      await retention.policy.write({ rules: [{ olderThanDays: 90 }], bySize: false });
      await retention.run();
      await Promise.all([insights.close(), memoryBank.close()]);
    }),
  async problems(root, isDone) {
    const trash = join(logsOf(root), '.trash');
    const inTrash = wholeIn(trash, (id) => namesIn(trash).find((n) => n.startsWith(id)) ?? 'none');
    const inStore = wholeIn(logsOf(root));
    const stayed = isDone ? inStore.map((id) => `stayed: ${id}`) : [];
    return [...lost([...inStore, ...inTrash]), ...stayed];
  },
};

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const ARCHIVE: CareOperation = {
  name: 'archive',
  fill: fillConversations,
  run: (root, _key, fsync) =>
    withStore(root, fsync, async (conversations) => {
      const archives = archivesOf(root, conversations, fsync);
      await archives.archive(await archives.choose({ olderThanDays: 90 }));
    }),
  problems: (root, isDone) =>
    withStore(root, false, async (conversations) => {
      const inStore = wholeIn(logsOf(root));
      const archives = archivesOf(root, conversations, false);
      return archives.unpacked(async (folder, problems) => [
        ...lost([...inStore, ...wholeIn(folder)]),
        ...problems.map(({ message }) => `damaged: ${message}`),
        ...(isDone ? inStore.map((id) => `stayed: ${id}`) : []),
      ]);
    }),
};

type Store = Awaited<ReturnType<typeof openStore>>;

const archivesOf = (root: string, conversations: Store, fsync: boolean) =>
  new Archives({
    logsFolder: logsOf(root),
    folder: join(root, 'archive'),
    clock: systemClock,
    fsync,
    conversations,
  });

async function fillEverything(root: string): Promise<void> {
  await fillConversations(root);
  put(join(bankOf(root), 'ada.md'), NOTE);
  put(join(bankOf(root), '.tmp-4194304-0-0-0-deadbeef'), MARK);
  put(cacheFile(root), MARK);
  const graph = syncedGraphIn(bankOf(root));
  await graph.add([factAbout(MARK)]);
  await graph.save();
  await graph.add([factAbout('another')]);
  await graph.close();
}

const CACHE_NAME = 'cache-name';
const cacheFile = (root: string) => join(root, '.cache', 'index', `${CACHE_NAME}.bin`);
const graphOf = (root: string) =>
  graphFiles(join(bankOf(root), 'kg_snapshot.json'), join(bankOf(root), 'kg_wal.log'));

function pathsOf(root: string): StorePaths {
  const { snapshot, sidecar, wal, previousSnapshot, previousWal, rejects } = graphOf(root);
  return {
    sealed: [logsOf(root), bankOf(root)],
    guarded: [root],
    cacheFolder: join(root, '.cache'),
    cacheName: CACHE_NAME,
    lineFiles: [snapshot, sidecar, wal, previousSnapshot, previousWal, rejects],
  };
}

async function convert(root: string, keyFile: string, isEncrypting: boolean, fsync: boolean) {
  const { left } = await convertStore({
    logsFolder: logsOf(root),
    memoryBank: bankOf(root),
    paths: pathsOf(root),
    fsync,
    locks: [join(logsOf(root), '.locks'), join(bankOf(root), '.locks')],
    copies: [],
    archives: { folder: join(root, 'archive'), contentsName: CONTENTS_NAME },
    current: { keyFile },
    wanted: isEncrypting ? { keyFile } : undefined,
    async saveGraph() {
      const graph = syncedGraphIn(bankOf(root));
      await graph.save().finally(() => graph.close());
    },
  });
  for (const { path, reason } of left) throw new Error(`${path}: ${reason}`);
}

/** Every text exists in one form. After an encryption no part of it is plain text. */
async function formProblems(root: string, isEncrypted: boolean | undefined): Promise<string[]> {
  const key = new CipherKey(Buffer.from(DIGITS, 'hex'));
  const forget = addKey(key);
  const problems: string[] = [];
  const expected = new Map([[join(bankOf(root), 'ada.md'), NOTE]]);
  for (const [id, text] of TEXTS) expected.set(join(logsOf(root), id, 'conversation.json'), text);
  for (const [path, text] of expected) {
    const bytes = Buffer.from(textAt(path) === undefined ? '' : readFileSync(path));
    const plain = convertFile(path, bytes, { from: key, to: undefined }) ?? bytes;
    if (Buffer.from(plain).toString() !== text) problems.push(`lost: ${relative(root, path)}`);
  }
  const graph = syncedGraphIn(bankOf(root));
  const subjects = await subjectsOf(graph).finally(() => graph.close());
  forget();
  if (subjects.join() !== `${MARK},another`) problems.push(`lost: facts, ${subjects.join()}`);
  if (isEncrypted === undefined) return problems;
  for (const path of filesBelow(root)) {
    const bytes = readFileSync(path);
    if (isEncrypted && bytes.includes(MARK)) problems.push(`clear: ${relative(root, path)}`);
    if (!isEncrypted && bytes.includes(key.id)) problems.push(`sealed: ${relative(root, path)}`);
  }
  return problems;
}

const ENCRYPT: CareOperation = {
  name: 'encrypt',
  fill: fillEverything,
  run: (root, keyFile, fsync) => convert(root, keyFile, true, fsync),
  problems: (root, isDone) => formProblems(root, isDone ? true : undefined),
};

const DECRYPT: CareOperation = {
  name: 'decrypt',
  async fill(root) {
    await fillEverything(root);
    const keyFile = join(root, '..', 'fill.key');
    writeFileSync(keyFile, DIGITS);
    await convert(root, keyFile, true, false);
  },
  run: (root, keyFile, fsync) => convert(root, keyFile, false, fsync),
  problems: (root, isDone) => formProblems(root, isDone ? false : undefined),
};

const REDACT: CareOperation = {
  name: 'redact',
  async fill(root) {
    await fillEverything(root);
    // So large that the archive does not fit into the space of the removed cache.
    const attachment = join(logsOf(root), BROKEN_ID, 'attachments', 'noise.bin');
    put(attachment, randomBytes(20_000).toString('latin1'));
    const areas = [{ name: 'conversation-logs', folder: logsOf(root) }];
    const folder = join(root, 'backups');
    await new Backups({ folder, areas, keepDays: 0, clock: systemClock, fsync: false }).make();
  },
  async run(root, _key, fsync) {
    const { signal } = new AbortController();
    const redactor = new Redactor({
      root,
      logsFolder: logsOf(root),
      bankFolder: bankOf(root),
      otherFolders: [],
      fsync,
      locksFolders: [logsOf(root), bankOf(root)].map(locksFolderIn),
      graph: graphOf(root),
      contentsName: CONTENTS_NAME,
      sealer: plainSealer,
      derivedFiles: [cacheFile(root)],
      derivedFolders: [],
    });
    const { files } = await redactor.find(MARK, signal);
    const paths = files.map(({ path }) => path);
    await redactor.redact(paths, MARK, '[redacted]', { signal });
  },
  async problems(root, isDone) {
    const problems: string[] = [];
    for (const [id, text] of TEXTS) {
      const now = textAt(join(logsOf(root), id, 'conversation.json'));
      const isSame = now === text || withoutTime(now) === withoutTime(redactedText(text));
      if (!isSame) problems.push(`lost: ${id}`);
    }
    const graph = syncedGraphIn(bankOf(root));
    const subjects = await subjectsOf(graph).finally(() => graph.close());
    if (!/^(Marienstrasse 12|\[redacted\]),another$/.test(subjects.join()))
      problems.push(`lost: facts, ${subjects.join()}`);
    for (const path of filesBelow(root)) {
      const isArchive = path.endsWith('.tar.gz');
      if (isArchive) await checkArchive(path);
      const bytes = isArchive ? gunzipSync(readFileSync(path)) : readFileSync(path);
      if (isDone && bytes.includes(MARK)) problems.push(`stayed: ${relative(root, path)}`);
    }
    return problems;
  },
};

const redactedText = (text: string) => text.replaceAll(MARK, '[redacted]');
/** A redaction sets a later time (src/privacy/updated-at.ts). */
const withoutTime = (text: string | undefined) => text?.replace(/ ?"updatedAt": "[^"]*",/, '');

const BROKEN_ID = IDS[0] ?? '';
const WHOLE = TEXTS.get(BROKEN_ID) ?? '';
const BROKEN = WHOLE.replace(/\s*\]\s*\}\s*$/, ',\n    {"role": "assis');

const brokenFileIn = (root: string) => join(logsOf(root), BROKEN_ID, 'conversation.json');

/** Sets the time of the file back. A file of the last second is read again, because an editor may be saving it. */
function makeOld(path: string): void {
  if (existsSync(path)) utimesSync(path, 0, 0);
}

const REPAIR: CareOperation = {
  name: 'repair',
  fill(root) {
    put(brokenFileIn(root), BROKEN);
    return Promise.resolve();
  },
  async run(root, _key, fsync) {
    makeOld(brokenFileIn(root));
    const repairer = new ConversationRepairer({
      logsFolder: logsOf(root),
      clock: systemClock,
      fsync,
    });
    await repairer.repair(BROKEN_ID);
  },
  async problems(root, isDone) {
    makeOld(brokenFileIn(root));
    const texts = filesBelow(join(logsOf(root), BROKEN_ID)).map(textAt);
    const problems = texts.includes(BROKEN) ? [] : ['lost: the damaged bytes'];
    const content = await withStore(root, false, (store) =>
      store.load(BROKEN_ID).then(
        ({ messages }) => messages[0]?.content,
        () => undefined,
      ),
    );
    const isRepaired = content === `${BROKEN_ID} at ${MARK}`;
    if (isDone && !isRepaired) problems.push('lost: the mended file');
    return problems;
  },
};

export const CARE: readonly CareOperation[] = [PRUNE, ARCHIVE, ENCRYPT, DECRYPT, REDACT, REPAIR];
