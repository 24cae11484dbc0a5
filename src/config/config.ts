/**
 * The configuration: flags > environment > the user's own file > defaults, checked by one zod schema and
 * frozen. Only this folder reads `process.env`. A wrong value ends the start with an error that contains the
 * setting and its valid values. No file of a working folder is read here, so a cloned repository cannot
 * change the folder of the store, the hosts or the providers.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemTimeZone } from '../base/local-time.js';
import { findRoot, type RootSource } from './find-root.js';
import { assertKeepsData, expandPath } from './given-path.js';
import {
  type EmbeddingsConfig,
  embeddingsConfig,
  embeddingsNotices,
} from './settings/embeddings-settings.js';
import {
  type ConfigSources,
  checkSettings,
  findSettings,
  settingsText,
} from './settings/find-settings.js';
import { type GraphConfig, graphConfig } from './settings/graph-settings.js';
import { type HttpConfig, httpConfig, type Mode } from './settings/http-settings.js';
import { type PerplexityConfig, perplexityConfig } from './settings/perplexity-settings.js';
import { type RetentionConfig, retentionConfig } from './settings/retention-settings.js';
import { type IMPORT_ACTIVITIES, type LOG_LEVELS, WATCHED_TOOLS } from './settings/settings.js';
import { settingNotices } from './settings/settings-without-effect.js';
import { type ToolsetConfig, toolsetConfig } from './settings/toolset-settings.js';
import { cacheFolder, configFolder, programsFolder } from './user-folders.js';

export interface Config extends ToolsetConfig {
  readonly root: string;
  readonly rootSource: RootSource;
  readonly logsDir: string;
  readonly memoryBankFolder: string;
  readonly archiveFolder: string;
  readonly exportsFolder: string;
  readonly configFile: string;
  /** The absolute path. The folder contains only files that can be built again. */
  readonly cacheFolder: string;
  /** Whether a start may use the index that an earlier process saved. */
  readonly indexCache: boolean;
  /** The IANA name of the time zone for times that people read. */
  readonly timeZone: string;
  readonly mode: Mode;
  readonly http: HttpConfig;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly fsync: boolean;
  /** The key of an encrypted store, and of age files. `keyFile` is absolute. */
  readonly encryption: Readonly<
    Record<'keyFile' | 'passphrase' | 'agePassphrase', string | undefined>
  >;
  readonly maxMessages: number;
  /** Whether summaries are kept current in the background. */
  readonly autoSummarise: boolean;
  /** Whether secrets are masked before a message is stored. */
  readonly masksSecrets: boolean;
  readonly embeddings: EmbeddingsConfig;
  /** The maximum number of notes of the memory bank. */
  readonly mbMaxFiles: number;
  readonly backup: {
    readonly isDaily: boolean;
    /** The absolute path. */
    readonly folder: string;
    /** 0: all backups are kept. */
    readonly keepDays: number;
  };
  readonly kg: GraphConfig;
  readonly imports: {
    readonly activity: (typeof IMPORT_ACTIVITIES)[number];
    /** The tools from which running servers import sessions. */
    readonly watched: readonly (typeof WATCHED_TOOLS)[number][];
    /** Absolute paths. Callers over HTTP may import files in these folders. */
    readonly folders: readonly string[];
    /** Absolute paths, each as given and without links. */
    readonly excluded: readonly string[];
    /** The folders in which the user's tools store their files. */
    readonly home: string;
    readonly programs: string;
  };
  readonly keeping: RetentionConfig;
  readonly perplexity: PerplexityConfig;
  /** The given settings, without secrets, as the text of a `config.json`. */
  readonly chosenSettings: string;
  /** Returns the value of an environment variable that the user named as the variable of a key. */
  readonly variable: (name: string) => string | undefined;
  /** Sentences for the log about settings: some have no effect, some send data to other machines. */
  readonly notices: readonly string[];
}

/** Reads, checks and freezes the configuration. VALIDATION_ERROR for a wrong setting. */
export function loadConfig(sources: ConfigSources): Config {
  const env = sources.env ?? process.env;
  const home = sources.home ?? homedir();
  const folder = configFolder(sources);
  const configFile = join(folder, 'config.json');
  const found = findSettings(sources.flags ?? {}, env, configFile, sources.readFile(configFile));
  const values = checkSettings(found);
  const { realPath = (path: string) => path } = sources;
  const expanded = (path: string) => expandPath(path, sources.cwd, home);
  const named = (path: string) => realPath(expanded(path));
  const variable = (name: string) => env[name];
  const chosen = findRoot(values.root, found, sources, { home, folder });
  const root = { ...chosen, path: realPath(chosen.path) };
  assertKeepsData(root.path, root.name);
  const logsDir = values.logsDir ? named(values.logsDir) : join(root.path, 'conversation-logs');
  assertKeepsData(logsDir, found.logsDir?.name ?? 'the root');
  const folders = foldersIn(root.path);
  const backupFolder = values.backupDir ? named(values.backupDir) : join(root.path, 'backups');
  assertKeepsData(backupFolder, found.backupDir?.name ?? 'the root');
  const embeddings = embeddingsConfig(values, variable, expanded);
  return Object.freeze({
    root: root.path,
    rootSource: root.source,
    logsDir,
    ...folders,
    configFile,
    cacheFolder: realPath(cacheFolder(sources)),
    indexCache: values.indexCache,
    // A getter, because reading the zone loads the time zones of the engine, which would delay the start.
    get timeZone() {
      return values.timeZone ?? systemTimeZone();
    },
    ...toolsetConfig(values, sources.knownToolsets, found.toolsets?.name),
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
    kg: graphConfig(values, (name) => found[name]?.name, folders.memoryBankFolder, named),
    imports: Object.freeze({
      activity: values.importActivity,
      watched: watchedTools(values.importWatch),
      folders: values.importFolders.map(named),
      excluded: values.importExclude.flatMap((path) => [expanded(path), named(path)]),
      home,
      programs: programsFolder({ ...sources, env }),
    }),
    keeping: retentionConfig(values),
    perplexity: perplexityConfig(values),
    chosenSettings: settingsText(found),
    variable,
    notices: [...settingNotices(sources.flags ?? {}, env), ...embeddingsNotices(embeddings)],
  });
}

/** The folders that are always in the root. */
const foldersIn = (root: string) => ({
  memoryBankFolder: join(root, 'memory-bank'),
  archiveFolder: join(root, 'archive'),
  exportsFolder: join(root, 'exports'),
});

function watchedTools(chosen: readonly string[]): Config['imports']['watched'] {
  return WATCHED_TOOLS.filter((name) => chosen.includes('all') || chosen.includes(name));
}
