/** For the tests of backups: a root with some files of every kind, and its backups. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Backups } from '../../src/maintenance/backup/backup.js';
import { tempFolder } from '../support/temp-folder.js';

export const T0 = Date.parse('2025-01-24T13:20:00.123Z');
const ID = '20250124-1737724800123';

export const FILES: Record<string, string> = {
  [`conversation-logs/${ID}/conversation.json`]:
    '{"messages":[{"role":"user","content":"日記"}]}\n',
  [`conversation-logs/${ID}/job.json`]: '{}\n',
  'conversation-logs/.gitignore': '*\n',
  'conversation-logs/.trash/20250101-1735689600000/conversation.json': '{"messages":[]}\n',
  'conversation-logs/state.json': '{}\n',
  'memory-bank/日本語のノート.md': '# 日本語\n',
  'memory-bank/a very long folder name that does not fit into the old header/and another one that makes it longer/12.30 – notes.md':
    'x'.repeat(200_000),
  'memory-bank/empty.md': '',
  'memory-bank/kg_wal.log': '\n0123 {}',
};

export function put(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** The text of every file below the folder, by its relative name. */
export function contentOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

export const areasOf = (root: string) =>
  ['conversation-logs', 'memory-bank'].map((name) => ({ name, folder: join(root, name) }));

export function openRoot(files: Record<string, string> = FILES, keepDays = 30) {
  const root = join(tempFolder(), 'root');
  put(root, files);
  const time = { now: T0 };
  const clock = { now: () => time.now, monotonic: () => performance.now() };
  const folder = join(root, 'backups');
  const backups = new Backups({ folder, areas: areasOf(root), keepDays, clock, fsync: false });
  return { root, folder, time, clock, backups, areas: areasOf(root) };
}
