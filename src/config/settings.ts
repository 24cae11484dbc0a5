/**
 * Every setting of Daybook: what it takes, where it is read, what it defaults to.
 * The table behind the configuration, its error sentences and the list in README.md.
 * Reading and combining the sources is `../config.ts`.
 */
import { z } from 'zod';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export const BACKENDS = ['agent', 'chat-completions'] as const;
export const BACKUP_TIMES = ['off', 'daily'] as const;
const PRESETS = ['fast', 'low', 'medium', 'high', 'xhigh', 'wide-research'] as const;

const text = z.string().trim().min(1);
const wholeNumber = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const onOff = z
  .union([z.boolean(), z.enum(['0', '1', 'false', 'true', 'off', 'on', 'no', 'yes'])])
  .transform((value) => value === true || ['1', 'true', 'on', 'yes'].includes(String(value)));
const lowerCase = (value: unknown) =>
  typeof value === 'string' ? value.trim().toLowerCase() : value;

export interface Setting<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** Completes "NAME takes …". */
  readonly takes: string;
  readonly about: string;
  /** Environment variables, the preferred one first. */
  readonly env: readonly string[];
  readonly flag?: string;
  /** Secrets come from the environment only, so that no file has to be kept private. */
  readonly secret?: true;
}
const setting = <T extends z.ZodType>(value: Setting<T>) => value;

/** Every setting: what it takes, where it is read, what it defaults to. README lists this table. */
export const SETTINGS = {
  root: setting({
    schema: text.optional(),
    takes: 'the path of a folder',
    about:
      'The folder that holds everything (default: the nearest folder registered with `daybook init`, else `~/.daybook`).',
    env: ['DAYBOOK_ROOT'],
    flag: '--root',
  }),
  logsDir: setting({
    schema: text.optional(),
    takes: 'the path of a folder',
    about: 'The folder of the conversations (default: `conversation-logs` in the root).',
    env: ['CONVERSATION_LOGS_DIR'],
  }),
  toolsets: setting({
    schema: text.optional(),
    takes: 'names of toolsets with commas between them, or all',
    about: 'Which toolsets are offered (default: all but `admin`).',
    env: ['DAYBOOK_TOOLSETS'],
    flag: '--toolsets',
  }),
  logLevel: setting({
    schema: z.preprocess(lowerCase, z.enum(LOG_LEVELS).default('info')),
    takes: `one of ${LOG_LEVELS.join(', ')}`,
    about: 'How much is logged to stderr (default `info`).',
    env: ['DAYBOOK_LOG_LEVEL', 'PERSISTENCE_LOG_LEVEL'],
    flag: '--log-level',
  }),
  fsync: setting({
    schema: z.preprocess(lowerCase, onOff.default(true)),
    takes: '1 or 0',
    about: 'Whether a write waits until the disk has it (default `1`).',
    env: ['DAYBOOK_FSYNC'],
  }),
  maxMessages: setting({
    schema: wholeNumber(1, 10_000_000).default(10_000),
    takes: 'a whole number from 1 to 10000000',
    about: 'Most messages that one conversation holds (default `10000`).',
    env: ['DAYBOOK_MAX_MESSAGES'],
  }),
  indexCache: setting({
    schema: z.preprocess(lowerCase, onOff.default(true)),
    takes: '1 or 0',
    about:
      'Whether the search index is kept in your cache folder for a faster start; `0` builds it from the files each time (default `1`).',
    env: ['DAYBOOK_INDEX_CACHE'],
  }),
  backup: setting({
    schema: z.preprocess(lowerCase, z.enum(BACKUP_TIMES).default('off')),
    takes: `one of ${BACKUP_TIMES.join(', ')}`,
    about: 'Whether a backup is made once a day while a server is up (default `off`).',
    env: ['DAYBOOK_BACKUP'],
  }),
  backupDir: setting({
    schema: text.optional(),
    takes: 'the path of a folder',
    about: 'The folder of the backups (default: `backups` in the root).',
    env: ['DAYBOOK_BACKUP_DIR'],
  }),
  backupKeepDays: setting({
    schema: wholeNumber(0, 36_500).default(30),
    takes: 'a whole number of days from 0 to 36500',
    about:
      'Backups older than this are removed when a new one was made; `0` keeps all (default `30`).',
    env: ['DAYBOOK_BACKUP_KEEP_DAYS'],
  }),
  perplexityApiKey: setting({
    schema: text.optional(),
    takes: 'an API key of Perplexity',
    about: 'The key of the Perplexity tools; nothing else needs it.',
    env: ['PERPLEXITY_API_KEY'],
    secret: true,
  }),
  perplexityBaseUrl: setting({
    schema: z.url({ protocol: /^https?$/ }).default('https://api.perplexity.ai'),
    takes: 'an http or https address',
    about: 'Where the Perplexity API or a gateway to it is (default `https://api.perplexity.ai`).',
    env: ['PERPLEXITY_BASE_URL'],
  }),
  perplexityBackend: setting({
    schema: z.enum(BACKENDS).default('agent'),
    takes: `one of ${BACKENDS.join(', ')}`,
    about: 'Which API is spoken (default `agent`; `chat-completions` is for gateways).',
    env: ['PERPLEXITY_BACKEND'],
  }),
  perplexityModel: setting({
    schema: text.optional(),
    takes: 'the name of a model, such as perplexity/sonar',
    about: 'A model to pin (default: the preset chooses).',
    env: ['PERPLEXITY_MODEL'],
  }),
  perplexitySearchPreset: setting({
    schema: z.enum(PRESETS).default('low'),
    takes: `one of ${PRESETS.join(', ')}`,
    about: 'The preset of quick searches (default `low`).',
    env: ['PERPLEXITY_SEARCH_PRESET'],
  }),
  perplexityResearchPreset: setting({
    schema: z.enum(PRESETS).default('high'),
    takes: `one of ${PRESETS.join(', ')}`,
    about: 'The preset of deep research (default `high`).',
    env: ['PERPLEXITY_RESEARCH_PRESET'],
  }),
  perplexityWaitMs: setting({
    schema: wholeNumber(0, 3_600_000).default(45_000),
    takes: 'a whole number of milliseconds from 0 to 3600000',
    about:
      'How long a deep-research call waits before it answers "still running" (default `45000`).',
    env: ['PERPLEXITY_WAIT_MS'],
  }),
  perplexityTimeoutMs: setting({
    schema: wholeNumber(1_000, 3_600_000).default(120_000),
    takes: 'a whole number of milliseconds from 1000 to 3600000',
    about: 'How long one request to the API may take (default `120000`).',
    env: ['PERPLEXITY_TIMEOUT_MS'],
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = z.output<typeof settingsSchema>;

/** The one schema that every value passes, whatever it came from. */
export const settingsSchema = z.object(
  Object.fromEntries(Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema])) as {
    [K in SettingName]: (typeof SETTINGS)[K]['schema'];
  },
);
