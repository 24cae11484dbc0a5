/** The command options to encrypt copies as age files, and to open age files. */
import { Option } from 'commander';
import { AppError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import {
  type AgeRecipients,
  addAgeKey,
  readIdentities,
  requireRecipients,
} from '../../files/age-encryption.js';
import { resolveRealPath } from '../../files/safe-access/real-path.js';
import { configuration, type Flags } from './configuration.js';

export interface AgeOptions {
  age?: string[];
  agePassphrase?: boolean;
}

export const ageOption = (): Option =>
  new Option(
    '--age <recipient>',
    'encrypt it as an age file for this recipient (age1…; repeatable)',
  ).argParser((value: string, before: string[] = []) => [...before, value]);

export const agePassphraseOption = (): Option =>
  new Option(
    '--age-passphrase',
    'encrypt it as an age file with the passphrase in the environment variable DAYBOOK_AGE_PASSPHRASE',
  );

/** `undefined` means no encryption. Throws VALIDATION_ERROR for options that cannot be used. */
export function ageRecipientsOf(
  { age, agePassphrase }: AgeOptions,
  { encryption }: Config,
): AgeRecipients | undefined {
  if (age === undefined && !agePassphrase) return undefined;
  if (age !== undefined && agePassphrase) {
    throw new AppError('VALIDATION_ERROR', '--age and --age-passphrase cannot be used together.');
  }
  if (age !== undefined) {
    requireRecipients(age);
    return { recipients: age };
  }
  if (encryption.agePassphrase !== undefined) return { passphrase: encryption.agePassphrase };
  throw new AppError('VALIDATION_ERROR', 'DAYBOOK_AGE_PASSPHRASE is not set.');
}

/** Runs `work` with the keys for age files: the identities in the file `identity`, and the passphrase. */
export async function withAgeKeys<T>(
  identity: string | undefined,
  flags: Flags,
  work: () => Promise<T>,
): Promise<T> {
  const { agePassphrase: passphrase } = configuration(flags).encryption;
  const removers: (() => void)[] = [];
  if (identity !== undefined) removers.push(addAgeKey(readIdentities(resolveRealPath(identity))));
  if (passphrase !== undefined) removers.push(addAgeKey({ passphrase }));
  try {
    return await work();
  } finally {
    for (const remove of removers) remove();
  }
}
