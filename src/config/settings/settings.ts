/**
 * The table of all settings: valid values, sources and defaults. The configuration, its error messages and
 * the list of settings in the documentation use it. find-settings.ts reads the sources.
 */
import { delimiter } from 'node:path';
import { z } from 'zod';
import { isTimeZone } from '../../base/local-time.js';
import { oneOf, onOff, setting, text, type ValuesOf, wholeNumber } from './define-setting.js';
import { EMBEDDINGS_SETTINGS } from './embeddings-settings.js';
import { GRAPH_SETTINGS } from './graph-settings.js';
import { HTTP_SETTINGS } from './http-settings.js';
import { PERPLEXITY_SETTINGS } from './perplexity-settings.js';
import { RETENTION_SETTINGS } from './retention-settings.js';
import { TOOLSET_SETTINGS } from './toolset-settings.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const BACKUP_TIMES = ['off', 'daily'] as const;
const SECRETS = ['mask', 'keep'] as const;
export const WATCHED_TOOLS = [
  ...(['claude-code', 'codex', 'gemini-cli', 'cursor-cli', 'cursor', 'vscode'] as const),
  ...(['copilot-cli', 'opencode', 'llm', 'insights-mcp'] as const),
] as const;
export const IMPORT_ACTIVITIES = ['none', 'short', 'all'] as const;

/** Accepts a list, or names separated by commas. `off` is an empty list. */
const namesIn = (value: unknown) => {
  if (typeof value !== 'string') return value;
  const names = value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return names.filter((name) => name !== '' && name !== 'off');
};

/** Accepts a list, or paths separated as in PATH. */
const pathsIn = (value: unknown) =>
  typeof value === 'string' ? value.split(delimiter).filter((path) => path.trim() !== '') : value;

/** All settings by name. */
export const SETTINGS = {
  root: setting({
    schema: text,
    takes: 'the path of a folder',
    about:
      'The folder of all data (default: the nearest folder registered with `daybook init`, otherwise `~/.daybook`).',
    env: ['DAYBOOK_ROOT'],
    flag: '--root',
  }),
  logsDir: setting({
    schema: text,
    takes: 'the path of a folder',
    about: 'The folder of the conversations (default: `conversation-logs` in the root).',
    env: ['CONVERSATION_LOGS_DIR'],
  }),
  timeZone: setting({
    schema: () =>
      text().refine(isTimeZone, { error: 'This is not a time zone of the IANA database.' }),
    takes: 'a time zone such as Europe/Berlin or UTC',
    about:
      'The time zone of the days of get_analytics, of words such as "yesterday" in a question, and of the times that session_start and the command line show (default: the time zone of the system). A date in an argument of another tool is a day in UTC.',
    env: ['DAYBOOK_TIME_ZONE'],
  }),
  ...TOOLSET_SETTINGS,
  logLevel: setting({
    ...oneOf(LOG_LEVELS),
    default: 'info',
    about: 'How much is logged to stderr (default `info`).',
    env: ['DAYBOOK_LOG_LEVEL', 'PERSISTENCE_LOG_LEVEL'],
    flag: '--log-level',
  }),
  fsync: setting({
    ...onOff,
    default: true,
    about: 'Whether a write is confirmed only after the data is on the disk (default `1`).',
    env: ['DAYBOOK_FSYNC'],
  }),
  keyFile: setting({
    schema: text,
    takes: 'the path of a file with 64 hexadecimal digits',
    about: 'The key of an encrypted store (see `daybook encrypt --help`).',
    env: ['DAYBOOK_KEY_FILE'],
  }),
  agePassphrase: setting({
    schema: () => z.string().min(1),
    takes: 'a passphrase',
    about: 'The passphrase for backups and exports in age files.',
    env: ['DAYBOOK_AGE_PASSPHRASE'],
    secret: true,
  }),
  passphrase: setting({
    schema: () => z.string().min(1),
    takes: 'a passphrase',
    about: 'The passphrase of an encrypted store; a key file opens it faster.',
    env: ['DAYBOOK_PASSPHRASE'],
    secret: true,
  }),
  maxMessages: setting({
    ...wholeNumber(1, 10_000_000),
    default: 10_000,
    about:
      'The maximum number of messages that assistants can add to one conversation (default `10000`). Imported conversations may have more.',
    env: ['DAYBOOK_MAX_MESSAGES'],
  }),
  mbMaxFiles: setting({
    ...wholeNumber(1, 100_000),
    default: 1000,
    about: 'The maximum number of notes of the memory bank (default `1000`).',
    env: ['DAYBOOK_MB_MAX_FILES'],
  }),
  indexCache: setting({
    ...onOff,
    default: true,
    about:
      'Whether the search index is cached in your cache folder for a faster start; with `0` it is built from the files at each start (default `1`).',
    env: ['DAYBOOK_INDEX_CACHE'],
  }),
  backup: setting({
    ...oneOf(BACKUP_TIMES),
    default: 'off',
    about: 'Whether a backup is made once a day while a server runs (default `off`).',
    env: ['DAYBOOK_BACKUP'],
  }),
  backupDir: setting({
    schema: text,
    takes: 'the path of a folder',
    about: 'The folder of the backups (default: `backups` in the root).',
    env: ['DAYBOOK_BACKUP_DIR'],
  }),
  backupKeepDays: setting({
    ...wholeNumber(0, 36_500, 'days'),
    default: 30,
    about:
      'After a new backup without unreadable files, the backups that are more than this number of days older than the previous backup are removed; `0`: never (default `30`).',
    env: ['DAYBOOK_BACKUP_KEEP_DAYS'],
  }),
  ...RETENTION_SETTINGS,
  autoSummarise: setting({
    ...onOff,
    default: false,
    about:
      'Whether a server updates summaries in the background, with a language model if you allowed one (default `0`: summaries are made when they are requested).',
    env: ['DAYBOOK_AUTO_SUMMARISE'],
  }),
  secrets: setting({
    ...oneOf(SECRETS),
    default: 'mask',
    about:
      'Whether keys and passwords in well-known formats are masked before a text is stored (default `mask`). Text between `<private>` and `</private>` is never stored.',
    env: ['DAYBOOK_SECRETS'],
  }),
  ...EMBEDDINGS_SETTINGS,
  importActivity: setting({
    ...oneOf(IMPORT_ACTIVITIES),
    default: 'short',
    about:
      'How much of tool calls, their results and thinking `daybook import` stores (default `short`).',
    env: ['DAYBOOK_IMPORT_ACTIVITY'],
  }),
  importWatch: setting({
    schema: () => z.preprocess(namesIn, z.array(z.enum([...WATCHED_TOOLS, 'all']))),
    default: [],
    takes: `off, all, or names separated by commas of ${WATCHED_TOOLS.join(', ')}`,
    about:
      'The tools on this machine from which running servers import new messages, before these tools delete them (default `off`).',
    env: ['DAYBOOK_IMPORT_WATCH'],
  }),
  importFolders: setting({
    schema: () => z.preprocess(pathsIn, z.array(text())),
    default: [],
    takes: `absolute paths of folders, separated by ${JSON.stringify(delimiter)}`,
    about:
      'Folders of this machine from which callers over HTTP may import by path (default: none).',
    env: ['DAYBOOK_IMPORT_FOLDERS'],
  }),
  importExclude: setting({
    schema: () => z.preprocess(pathsIn, z.array(text())),
    default: [],
    takes: `absolute paths of folders, separated by ${JSON.stringify(delimiter)}`,
    about:
      'Folders of projects whose sessions are never imported, with all folders below them. The hook of a client gives nothing to sessions there (default: none).',
    env: ['DAYBOOK_IMPORT_EXCLUDE'],
  }),
  ...GRAPH_SETTINGS,
  ...HTTP_SETTINGS,
  ...PERPLEXITY_SETTINGS,
} as const;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
export type SettingValues = ValuesOf<typeof SETTINGS>;
