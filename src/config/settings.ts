/**
 * The table of all settings: valid values, sources and defaults. The configuration, its error messages and
 * the list of settings in the documentation use it. find-settings.ts reads the sources.
 */
import { delimiter } from 'node:path';
import { z } from 'zod';
import { isTimeZone } from '../base/local-time.js';
import { PERPLEXITY_SETTINGS } from './perplexity-settings.js';
import { RETENTION_SETTINGS } from './retention-settings.js';
import { oneOf, onOff, setting, text, type ValuesOf, wholeNumber } from './setting.js';
import { TOOLSET_SETTINGS } from './toolset-settings.js';

export type { Setting } from './setting.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export const EVICTIONS = ['off', 'oldest'] as const;
export const MODES = ['stdio', 'http'] as const;
const BACKUP_TIMES = ['off', 'daily'] as const;
const SECRETS = ['mask', 'keep'] as const;
const EMBEDDINGS = ['off', 'local', 'openai', 'ollama'] as const;
export const WATCHED_TOOLS = [
  ...(['claude-code', 'codex', 'gemini-cli', 'cursor-cli', 'cursor', 'llm'] as const),
  'insights-mcp',
] as const;
export const IMPORT_ACTIVITIES = ['none', 'short', 'all'] as const;

/** `PERSISTENCE_ENABLE_EMBEDDINGS` has yes or no: yes is `local`. */
const embeddingsMode = (value: unknown) => {
  const mode = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (mode === true || ['1', 'true', 'on', 'yes'].includes(String(mode))) return 'local';
  return mode === false || ['0', 'false', 'no'].includes(String(mode)) ? 'off' : mode;
};
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
      'The time zone in which days begin and end, and in which session_start and the command line show times (default: the time zone of the system).',
    env: ['DAYBOOK_TIME_ZONE'],
  }),
  ...TOOLSET_SETTINGS,
  logLevel: setting({
    schema: () => oneOf(LOG_LEVELS),
    default: 'info',
    takes: `one of ${LOG_LEVELS.join(', ')}`,
    about: 'How much is logged to stderr (default `info`).',
    env: ['DAYBOOK_LOG_LEVEL', 'PERSISTENCE_LOG_LEVEL'],
    flag: '--log-level',
  }),
  fsync: setting({
    schema: onOff,
    default: true,
    takes: '1 or 0',
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
    schema: () => wholeNumber(1, 10_000_000),
    default: 10_000,
    takes: 'a whole number from 1 to 10000000',
    about:
      'The maximum number of messages that assistants can add to one conversation (default `10000`). Imported conversations may have more.',
    env: ['DAYBOOK_MAX_MESSAGES'],
  }),
  mbMaxFiles: setting({
    schema: () => wholeNumber(1, 100_000),
    default: 1000,
    takes: 'a whole number from 1 to 100000',
    about: 'The maximum number of notes of the memory bank (default `1000`).',
    env: ['DAYBOOK_MB_MAX_FILES'],
  }),
  indexCache: setting({
    schema: onOff,
    default: true,
    takes: '1 or 0',
    about:
      'Whether the search index is cached in your cache folder for a faster start; with `0` it is built from the files at each start (default `1`).',
    env: ['DAYBOOK_INDEX_CACHE'],
  }),
  backup: setting({
    schema: () => oneOf(BACKUP_TIMES),
    default: 'off',
    takes: `one of ${BACKUP_TIMES.join(', ')}`,
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
    schema: () => wholeNumber(0, 36_500),
    default: 30,
    takes: 'a whole number of days from 0 to 36500',
    about:
      'Backups older than this number of days are removed when a new backup was made; `0`: never (default `30`).',
    env: ['DAYBOOK_BACKUP_KEEP_DAYS'],
  }),
  ...RETENTION_SETTINGS,
  autoSummarise: setting({
    schema: onOff,
    default: false,
    takes: '1 or 0',
    about:
      'Whether a server updates summaries in the background, with a language model if you allowed one (default `0`: summaries are made when they are requested).',
    env: ['DAYBOOK_AUTO_SUMMARISE'],
  }),
  secrets: setting({
    schema: () => oneOf(SECRETS),
    default: 'mask',
    takes: `one of ${SECRETS.join(', ')}`,
    about:
      'Whether keys and passwords in well-known formats are masked before a text is stored (default `mask`). Text between `<private>` and `</private>` is never stored.',
    env: ['DAYBOOK_SECRETS'],
  }),
  embeddings: setting({
    schema: () => z.preprocess(embeddingsMode, z.enum(EMBEDDINGS)),
    default: 'off',
    takes: `one of ${EMBEDDINGS.join(', ')}`,
    about:
      'Whether messages are also found by meaning, with vectors that this machine (`local`, see `daybook embeddings`), a server with the OpenAI API (`openai`) or Ollama (`ollama`) makes (default `off`). With `openai` the text of all messages is sent to that server.',
    env: ['DAYBOOK_EMBEDDINGS', 'PERSISTENCE_ENABLE_EMBEDDINGS'],
  }),
  embeddingsModel: setting({
    schema: text,
    takes:
      'a folder with model.onnx and tokenizer.json, or for openai and ollama the name of a model',
    about:
      'The model that makes the vectors (default: all-MiniLM-L6-v2; `text-embedding-3-small` for openai).',
    env: ['DAYBOOK_EMBEDDINGS_MODEL'],
  }),
  embeddingsEndpoint: setting({
    schema: () => z.url({ protocol: /^https?$/ }),
    takes: 'an http or https address',
    about:
      'The address of the server that makes the vectors (default: the usual address of OpenAI or Ollama).',
    env: ['DAYBOOK_EMBEDDINGS_ENDPOINT'],
  }),
  embeddingsKeyEnv: setting({
    schema: () => z.string().regex(/^[A-Z][A-Z0-9_]{2,63}$/),
    takes: 'the NAME of an environment variable, never a key',
    about:
      'The environment variable with the key of that server (default: OPENAI_API_KEY for OpenAI).',
    env: ['DAYBOOK_EMBEDDINGS_KEY_ENV'],
  }),
  importActivity: setting({
    schema: () => oneOf(IMPORT_ACTIVITIES),
    default: 'short',
    takes: `one of ${IMPORT_ACTIVITIES.join(', ')}`,
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
  kgSnapshot: setting({
    schema: text,
    takes: 'the path of a file',
    about:
      'The snapshot of the knowledge graph (default: `memory-bank/kg_snapshot.json` in the root).',
    env: ['MCP_KG_SNAPSHOT', 'MCP_KG_SNAPSHOT_PATH'],
  }),
  kgWal: setting({
    schema: text,
    takes: 'the path of a file',
    about:
      'The log of the knowledge graph, on the same file system as the snapshot (default: `memory-bank/kg_wal.log` in the root).',
    env: ['MCP_KG_WAL', 'MCP_KG_WAL_PATH'],
  }),
  kgFsync: setting({
    schema: onOff,
    default: false,
    takes: '1 or 0',
    about: 'Whether a new fact is confirmed only after it is on the disk (default `0`).',
    env: ['MCP_KG_FSYNC'],
  }),
  kgMaxTriples: setting({
    schema: () => wholeNumber(1, 100_000_000),
    default: 5_000,
    takes: 'a whole number from 1 to 100000000',
    about:
      'The maximum number of facts in the knowledge graph, including ended facts (default `5000`).',
    env: ['MCP_KG_MAX_TRIPLES'],
  }),
  kgTtlDays: setting({
    schema: () => wholeNumber(0, 36_500),
    default: 0,
    takes: 'a whole number of days from 0 to 36500',
    about: 'Facts older than this number of days are removed; `0`: never (default `0`).',
    env: ['MCP_KG_TTL_DAYS'],
  }),
  kgEvict: setting({
    schema: () => oneOf(EVICTIONS),
    default: 'off',
    takes: `one of ${EVICTIONS.join(', ')}`,
    about: 'Whether the oldest facts are deleted when the knowledge graph is full (default `off`).',
    env: ['MCP_KG_EVICT'],
  }),
  mode: setting({
    schema: () => oneOf(MODES),
    default: 'stdio',
    takes: `one of ${MODES.join(', ')}`,
    about:
      'How clients connect: they start the server (`stdio`), or they use HTTP (default `stdio`).',
    env: ['DAYBOOK_MODE', 'INSIGHTS_MCP_MODE'],
    flag: '--mode',
  }),
  httpPort: setting({
    schema: () => wholeNumber(0, 65_535),
    default: 3000,
    takes: 'a port from 0 to 65535 (0: any that is free)',
    about: 'The port of the HTTP server (default `3000`).',
    env: ['DAYBOOK_HTTP_PORT', 'INSIGHTS_MCP_PORT'],
    flag: '--port',
  }),
  httpHost: setting({
    schema: text,
    default: '127.0.0.1',
    takes: 'the name or address of a network interface of this machine',
    about:
      'The address on which the HTTP server listens; an address that other machines can reach needs DAYBOOK_HTTP_TOKEN (default `127.0.0.1`).',
    env: ['DAYBOOK_HTTP_HOST'],
    flag: '--host',
  }),
  httpToken: setting({
    // RFC 6750 allows only these characters in an Authorization header.
    schema: () => text().regex(/^(auto|[\w.~+/-]{16,512}=*)$/),
    takes:
      'auto, or 16 or more letters, digits or any of - . _ ~ + / (openssl rand -hex 32 makes one)',
    about:
      'The bearer token that every HTTP client must send. `auto` makes one in your configuration folder.',
    env: ['DAYBOOK_HTTP_TOKEN'],
    secret: true,
  }),
  httpStateless: setting({
    schema: onOff,
    default: false,
    takes: '1 or 0',
    about:
      'Whether the HTTP server works without sessions: it stores nothing between requests and sends no notifications (default `0`).',
    env: ['DAYBOOK_HTTP_STATELESS'],
    flag: '--stateless',
  }),
  httpAllowedHosts: setting({
    schema: text,
    takes: 'host names separated by commas, each with or without a port',
    about:
      'Host names that clients may use for the HTTP server, in addition to `localhost`, the loopback addresses and `--host`.',
    env: ['DAYBOOK_HTTP_ALLOWED_HOSTS'],
  }),
  httpAllowedOrigins: setting({
    schema: text,
    takes: 'origins such as https://notes.example, separated by commas',
    about: 'Other origins whose web pages may use the HTTP server (default: none).',
    env: ['DAYBOOK_HTTP_ALLOWED_ORIGINS'],
  }),
  httpMaxBodyMb: setting({
    schema: () => wholeNumber(1, 1024),
    default: 64,
    takes: 'a whole number of megabytes from 1 to 1024',
    about: 'The largest HTTP request (default `64`).',
    env: ['DAYBOOK_HTTP_MAX_BODY_MB'],
  }),
  httpSessionIdleMinutes: setting({
    schema: () => wholeNumber(1, 525_600),
    default: 1440,
    takes: 'a whole number of minutes from 1 to 525600',
    about: 'A session that is unused for this time ends (default `1440`, a day).',
    env: ['DAYBOOK_HTTP_SESSION_IDLE_MINUTES'],
  }),
  httpRateLimit: setting({
    schema: () => wholeNumber(0, 1_000_000),
    takes: 'a whole number of requests a minute from 0 to 1000000 (0: no limit)',
    about:
      'The maximum number of HTTP requests a minute from one address (default: `600`; no limit if only this machine can connect).',
    env: ['DAYBOOK_HTTP_RATE_LIMIT'],
  }),
  ...PERPLEXITY_SETTINGS,
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = ValuesOf<typeof SETTINGS>;
