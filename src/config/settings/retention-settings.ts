/** The settings of size limit, trash and versions, and the retention part of the configuration. */
import { setting, type ValuesOf, wholeNumber } from './define-setting.js';

export const RETENTION_SETTINGS = {
  maxSizeMb: setting({
    ...wholeNumber(0, 100_000_000, 'megabytes'),
    default: 1000,
    about:
      'The maximum size of conversations and memory bank together, without the trash. A full store accepts no new data (`STORAGE_FULL`); `0`: no limit (default `1000`).',
    env: ['DAYBOOK_MAX_SIZE_MB', 'PERSISTENCE_MAX_DB_SIZE_MB'],
  }),
  trashKeepDays: setting({
    ...wholeNumber(0, 36_500, 'days'),
    default: 30,
    about:
      'If a retention policy is set, what has been in the trash for more than this number of days is removed permanently; `0`: never (default `30`).',
    env: ['DAYBOOK_TRASH_KEEP_DAYS'],
  }),
  keepVersions: setting({
    ...wholeNumber(0, 1000),
    default: 20,
    about:
      'How many earlier versions of a conversation are stored when messages are changed or removed; `0`: none (default `20`).',
    env: ['DAYBOOK_KEEP_VERSIONS'],
  }),
  versionDays: setting({
    ...wholeNumber(0, 36_500, 'days'),
    default: 90,
    about: 'Versions older than this number of days are removed; `0`: never (default `90`).',
    env: ['DAYBOOK_VERSION_DAYS'],
  }),
};

export interface RetentionConfig {
  /** `undefined`: no limit. */
  readonly maxSizeBytes: number | undefined;
  /** 0: the trash is never emptied automatically. */
  readonly trashKeepDays: number;
  /** For each conversation. `count` 0: no versions; `days` 0: no maximum age. */
  readonly versions: { readonly count: number; readonly days: number };
}

export const retentionConfig = (values: ValuesOf<typeof RETENTION_SETTINGS>): RetentionConfig =>
  Object.freeze({
    maxSizeBytes: values.maxSizeMb === 0 ? undefined : values.maxSizeMb * 1_000_000,
    trashKeepDays: values.trashKeepDays,
    versions: Object.freeze({ count: values.keepVersions, days: values.versionDays }),
  });
