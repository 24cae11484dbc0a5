/**
 * Configuration: flags > environment > the user's own file > defaults, checked by one zod schema
 * and frozen. The only place that reads `process.env`. A wrong value ends the start with a
 * sentence that names the setting and what it takes. Nothing that lies inside a working folder
 * is ever read here: a cloned repository cannot move the store, name a host or pick a provider.
 */
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../base/errors.js';
import { systemTimeZone } from '../base/local-time.js';
import { databaseNotices } from './database-notices.js';
import {
  type EmbeddingsConfig,
  embeddingsConfig,
  embeddingsNotices,
} from './embeddings-settings.js';
import { type HttpConfig, httpConfig } from './http-settings.js';
import { type KeepingConfig, keepingConfig } from './keeping-settings.js';
import { type OfferConfig, offerConfig } from './offer-settings.js';
import { type PerplexityConfig, perplexityConfig } from './perplexity-settings.js';
import {
  type EVICTIONS,
  type IMPORT_ACTIVITIES,
  type LOG_LEVELS,
  type MODES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValues,
  settingsSchema,
  WATCHED_TOOLS,
} from './settings.js';
import { parseFile, parseJson } from './settings-file.js';

const NAMES = Object.keys(SETTINGS) as SettingName[];

export type RootSource = 'flag' | 'environment' | 'file' | 'registered' | 'home';

export interface Config extends OfferConfig {
  readonly root: string;
  readonly rootSource: RootSource;
  readonly logsDir: string;
  readonly configFile: string;
  /** Absolute; holds only what can be built again. */
  readonly cacheFolder: string;
  /** Whether a start may use the index that an earlier process saved. */
  readonly indexCache: boolean;
  /** IANA name of the time zone in which people read times. */
  readonly timeZone: string;
  readonly mode: (typeof MODES)[number];
  readonly http: HttpConfig;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly fsync: boolean;
  /** What opens an encrypted store, and age files. `keyFile` is absolute. */
  readonly encryption: Readonly<
    Record<'keyFile' | 'passphrase' | 'agePassphrase', string | undefined>
  >;
  readonly maxMessages: number;
  /** Whether summaries are kept current in the background. */
  readonly autoSummarise: boolean;
  /** Whether secrets are masked before a message is stored. */
  readonly masksSecrets: boolean;
  readonly embeddings: EmbeddingsConfig;
  /** Most notes of the memory bank. */
  readonly mbMaxFiles: number;
  readonly backup: {
    readonly isDaily: boolean;
    /** Absolute. */
    readonly folder: string;
    /** 0 keeps all. */
    readonly keepDays: number;
  };
  readonly kg: {
    /** Absolute. */
    readonly snapshotPath: string;
    readonly walPath: string;
    readonly fsync: boolean;
    readonly maxTriples: number;
    /** Infinity keeps all. */
    readonly ttlDays: number;
    readonly evict: (typeof EVICTIONS)[number];
  };
  readonly imports: {
    readonly activity: (typeof IMPORT_ACTIVITIES)[number];
    /** Tools whose sessions servers take in. */
    readonly watched: readonly (typeof WATCHED_TOOLS)[number][];
    /** Absolute. Callers over the network may import from inside them. */
    readonly folders: readonly string[];
    /** Where the user's tools keep their files. */
    readonly home: string;
    readonly programs: string;
  };
  readonly keeping: KeepingConfig;
  readonly perplexity: PerplexityConfig;
  /** The settings that differ from the defaults, as the text of a `config.json`; without secrets. */
  readonly chosenSettings: string;
  /** The value of an environment variable that the user named as that of a key. */
  readonly variable: (name: string) => string | undefined;
  /** Sentences for the log: settings that were recognised but do nothing here. */
  readonly notices: readonly string[];
}

export interface ConfigSources {
  /** Values of command-line flags by setting name; `dbPath` is recognised and explained. */
  readonly flags?: { readonly [name: string]: string | undefined };
  readonly env?: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly home?: string;
  readonly platform?: string;
  /** The names that `toolsets` may hold. */
  readonly knownToolsets: readonly string[];
  /** Text of a file, `undefined` when there is none. */
  readFile(path: string): string | undefined;
  /**
   * The path without links of a place that the user named. Below such places Daybook follows no
   * link, so they are resolved once, here. Left out: as they are.
   */
  realPath?(path: string): string;
}

/** The user's own configuration folder, by the custom of the platform. Absolute. */
export function configFolder(
  sources: Pick<ConfigSources, 'env' | 'home' | 'platform'> = {},
): string {
  const { env = process.env } = sources;
  const chosen = env['XDG_CONFIG_HOME'];
  if (chosen && isAbsolute(chosen)) return join(chosen, 'daybook');
  return join(programsFolder(sources), 'daybook');
}

/** Where programs of this platform keep their settings, each in a folder of its own. Absolute. */
export function programsFolder(
  sources: Pick<ConfigSources, 'env' | 'home' | 'platform'> = {},
): string {
  const { env = process.env, home = homedir(), platform = process.platform } = sources;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  const chosen = env['XDG_CONFIG_HOME'];
  return chosen && isAbsolute(chosen) ? chosen : join(home, '.config');
}

/** The user's folder for what can be built again, by the custom of the platform. */
function cacheFolder(sources: Pick<ConfigSources, 'env' | 'home' | 'platform'>): string {
  const { env = process.env, home = homedir(), platform = process.platform } = sources;
  const chosen = env['XDG_CACHE_HOME'];
  if (chosen && isAbsolute(chosen)) return join(chosen, 'daybook');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'daybook');
  if (platform === 'win32') {
    return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'daybook', 'Cache');
  }
  return join(home, '.cache', 'daybook');
}

/** Where `daybook init` records the folders that may be roots. */
export const foldersFile = (folder: string): string => join(folder, 'folders.json');

/** The registered folders in the text of that file; an unreadable text is VALIDATION_ERROR. */
export function parseFolders(content: string | undefined, path: string): readonly string[] {
  if (content === undefined) return [];
  const parsed = z.object({ folders: z.array(z.string()) }).safeParse(parseJson(content, path));
  if (!parsed.success) {
    throw new AppError('VALIDATION_ERROR', `${path} takes {"folders": ["/absolute/path", …]}.`);
  }
  return parsed.data.folders.filter((folder) => isAbsolute(folder));
}

/** `~` and relative paths made absolute. */
export function expandPath(path: string, cwd: string, home: string): string {
  const inHome = path === '~' || /^~[/\\]/.test(path);
  return inHome ? resolve(home, path.slice(2)) : resolve(cwd, path);
}

/** Refuses a folder that a package manager may wipe at any time. VALIDATION_ERROR. */
export function assertKeepsData(path: string, name: string): void {
  const cache = path.split(/[/\\]/).find((part) => part === '_npx' || part === 'node_modules');
  if (cache === undefined) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `${name} points into a package cache (${path}), where your data would be lost; choose a folder of your own.`,
  );
}

/** Reads, checks and freezes the configuration. VALIDATION_ERROR names what is wrong. */
export function loadConfig(sources: ConfigSources): Config {
  const env = sources.env ?? process.env;
  const home = sources.home ?? homedir();
  const folder = configFolder(sources);
  const configFile = join(folder, 'config.json');
  const found = collect(sources.flags ?? {}, env, configFile, sources.readFile(configFile));
  const values = check(found);
  const { realPath = (path: string) => path } = sources;
  const named = (path: string) => realPath(expandPath(path, sources.cwd, home));
  const chosen = findRoot(values.root, found, sources, { home, folder });
  const root = { ...chosen, path: realPath(chosen.path) };
  assertKeepsData(root.path, root.name);
  const logsDir = values.logsDir ? named(values.logsDir) : join(root.path, 'conversation-logs');
  assertKeepsData(logsDir, found.logsDir?.name ?? 'the root');
  const backupFolder = values.backupDir ? named(values.backupDir) : join(root.path, 'backups');
  assertKeepsData(backupFolder, found.backupDir?.name ?? 'the root');
  const embeddings = embeddingsConfig(
    values,
    (name) => env[name],
    (path) => expandPath(path, sources.cwd, home),
  );
  return Object.freeze({
    root: root.path,
    rootSource: root.source,
    logsDir,
    configFile,
    cacheFolder: realPath(cacheFolder(sources)),
    indexCache: values.indexCache,
    // To ask for the zone loads the engine's time zones, which a start need not wait for.
    get timeZone() {
      return values.timeZone ?? systemTimeZone();
    },
    ...offerConfig(values, sources.knownToolsets, found.toolsets?.name),
    mode: values.mode,
    http: httpConfig(values, (name) => found[name]?.name ?? name),
    logLevel: values.logLevel,
    fsync: values.fsync,
    encryption: Object.freeze({
      keyFile: values.keyFile && named(values.keyFile),
      passphrase: values.passphrase,
      agePassphrase: values.agePassphrase,
    }),
    maxMessages: values.maxMessages,
    mbMaxFiles: values.mbMaxFiles,
    autoSummarise: values.autoSummarise,
    masksSecrets: values.secrets === 'mask',
    embeddings,
    backup: Object.freeze({
      isDaily: values.backup === 'daily',
      folder: backupFolder,
      keepDays: values.backupKeepDays,
    }),
    kg: kgOf(values, found, root.path, named),
    imports: Object.freeze({
      activity: values.importActivity,
      watched: watchedTools(values.importWatch),
      folders: values.importFolders.map(named),
      home,
      programs: programsFolder({ ...sources, env }),
    }),
    keeping: keepingConfig(values),
    perplexity: perplexityConfig(values),
    chosenSettings: textOf(found),
    variable: (name: string) => env[name],
    notices: [...databaseNotices(sources.flags ?? {}, env), ...embeddingsNotices(embeddings)],
  });
}

function watchedTools(chosen: readonly string[]): Config['imports']['watched'] {
  return WATCHED_TOOLS.filter((name) => chosen.includes('all') || chosen.includes(name));
}

type Source = 'flag' | 'environment' | 'file';
/** A value as it was given, with the name under which the user knows it. */
interface Given {
  readonly value: unknown;
  readonly name: string;
  readonly source: Source;
}
type Found = { readonly [K in SettingName]?: Given };

function collect(
  flags: NonNullable<ConfigSources['flags']>,
  env: NonNullable<ConfigSources['env']>,
  configFile: string,
  fileText: string | undefined,
): Found {
  const file = parseFile(fileText, configFile);
  const found: { [K in SettingName]?: Given } = {};
  for (const key of NAMES) {
    const { env: variables, flag }: Setting = SETTINGS[key];
    const variable = variables.find((name) => (env[name] ?? '').trim() !== '');
    if (flag !== undefined && flags[key] !== undefined) {
      found[key] = { value: flags[key], name: flag, source: 'flag' };
    } else if (variable !== undefined) {
      found[key] = { value: env[variable], name: variable, source: 'environment' };
    } else if (Object.hasOwn(file, key)) {
      found[key] = { value: file[key], name: `"${key}" in ${configFile}`, source: 'file' };
    }
  }
  return found;
}

/** A text as it may be shown: user name and password of an address in it are masked. */
export const withoutPassword = (text: string): string => text.replace(/(?<=:\/\/)[^/?#]*@/, '***@');

/** Passwords in addresses are masked. */
function textOf(found: Found): string {
  const shown = NAMES.flatMap((name) => {
    const value = found[name]?.value;
    if (value === undefined || 'secret' in SETTINGS[name]) return [];
    const isText = typeof value === 'string';
    return [[name, isText ? withoutPassword(value) : value]];
  });
  return `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`;
}

function check(found: Found): SettingValues {
  const given = Object.fromEntries(
    NAMES.flatMap((name) => (found[name] ? [[name, found[name].value]] : [])),
  );
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const key = NAMES.find((name) => name === parsed.error.issues[0]?.path[0]) ?? 'root';
  const { takes, secret }: Setting = SETTINGS[key];
  const value = secret ? 'the value given' : withoutPassword(JSON.stringify(found[key]?.value));
  throw new AppError(
    'VALIDATION_ERROR',
    `${found[key]?.name ?? key} takes ${takes}, not ${value}.`,
    { hint: 'Correct that setting and try again.', details: { setting: key, takes } },
  );
}

interface Root {
  readonly path: string;
  readonly source: RootSource;
  readonly name: string;
}

function findRoot(
  chosen: string | undefined,
  found: Found,
  { cwd, readFile }: ConfigSources,
  { home, folder }: { home: string; folder: string },
): Root {
  if (chosen !== undefined && found.root) {
    const { source, name } = found.root;
    return { path: expandPath(chosen, cwd, home), source, name };
  }
  const file = foldersFile(folder);
  const registered = new Set(parseFolders(readFile(file), file).map((path) => resolve(path)));
  for (let at = resolve(cwd); ; at = dirname(at)) {
    if (registered.has(at)) return { path: at, source: 'registered', name: file };
    if (dirname(at) === at) break;
  }
  return { path: join(home, '.daybook'), source: 'home', name: 'the home folder' };
}

function kgOf(
  values: SettingValues,
  found: Found,
  root: string,
  placeOf: (path: string) => string,
): Config['kg'] {
  const pathOf = (key: 'kgSnapshot' | 'kgWal', name: string) => {
    const given = values[key];
    const path = given === undefined ? join(root, 'memory-bank', name) : placeOf(given);
    assertKeepsData(path, found[key]?.name ?? 'the root');
    return path;
  };
  const snapshotPath = pathOf('kgSnapshot', 'kg_snapshot.json');
  const walPath = pathOf('kgWal', 'kg_wal.log');
  // Their names must differ by more than the ending: files beside them are named after them.
  const stem = (path: string) => path.replace(/\.(json|log)$/, '');
  if (stem(snapshotPath) === stem(walPath)) {
    throw new AppError(
      'VALIDATION_ERROR',
      `MCP_KG_SNAPSHOT and MCP_KG_WAL take two files of different names; ${snapshotPath} and ${walPath} would overwrite each other.`,
      { details: { setting: 'kgWal' } },
    );
  }
  return Object.freeze({
    snapshotPath,
    walPath,
    fsync: values.kgFsync,
    maxTriples: values.kgMaxTriples,
    ttlDays: values.kgTtlDays === 0 ? Number.POSITIVE_INFINITY : values.kgTtlDays,
    evict: values.kgEvict,
  });
}
