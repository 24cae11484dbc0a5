/**
 * The retention policy: `retention.json` in the logs folder (docs/FORMAT.md). Without the file nothing is
 * removed automatically. People may write it by hand. If it is not valid, that is reported and nothing is
 * removed. prunable-conversations.ts selects the conversations that match a rule.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { type Clock, isoTime } from '../../base/clock.js';
import { AppError, isAppError } from '../../base/errors.js';
import { isRecord } from '../../base/json-fields.js';
import { type Durability, makeFolder } from '../../files/atomic/atomic-write.js';
import { withLock } from '../../files/locks/file-lock.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { parseDocument, renderDocument } from '../../files/read/json-document.js';
import { readWhole } from '../../files/read/whole-file.js';
import { upgraded, versionOf } from '../../stores/format-migrations.js';
import { MAX_RULES, ruleSchema } from './rule-schema.js';

/** The maximum size of the file. A policy has only a few rules. */
const MAX_BYTES = 100_000;

const policySchema = z.object({
  /** A conversation is moved to the trash if it matches one of the rules. */
  rules: z.array(ruleSchema).max(MAX_RULES).default([]),
  /** Above 80 % of the size limit, the oldest conversations are moved to the trash. */
  bySize: z.boolean().default(false),
  updatedAt: z.string().exactOptional(),
});
export type RetentionPolicy = z.output<typeof policySchema>;
type Rules = Pick<RetentionPolicy, 'rules' | 'bySize'>;

export const NO_POLICY: Rules = { rules: [], bySize: false };

export interface PolicyOptions extends Durability {
  readonly logsFolder: string;
  readonly clock: Clock;
}

export class RetentionPolicyFile {
  readonly #options: PolicyOptions;
  readonly path: string;

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.path = join(options.logsFolder, 'retention.json');
  }

  /** `undefined` without a rule. CORRUPT (field in `details`), FORMAT_TOO_NEW, FILESYSTEM_ERROR. */
  async read(): Promise<RetentionPolicy | undefined> {
    const found = await readWhole(this.path, MAX_BYTES);
    if (found === undefined) return undefined;
    const value = parseDocument(found.bytes, this.path, 'CORRUPT');
    const fields = isRecord(value) ? upgraded('retention', value, this.path) : value;
    const parsed = policySchema.safeParse(fields);
    if (parsed.success) return isEmpty(parsed.data) ? undefined : parsed.data;
    throw damaged(this.path, problemOf(parsed.error));
  }

  /**
   * Replaces the policy, also a damaged one. A policy without rules and without `bySize` removes the file.
   * Durable when it resolves. VALIDATION_ERROR for a rule that `read` would not accept; FORMAT_TOO_NEW,
   * STORAGE_FULL, LOCKED, FILESYSTEM_ERROR.
   */
  async write(policy: Rules): Promise<void> {
    await this.#replace(async () => {
      await this.read().catch((error: unknown) => {
        if (!isAppError(error) || error.code === 'FORMAT_TOO_NEW') throw error;
      });
      return policy;
    });
  }

  /**
   * Like `write`, for the policy that `next` returns for the stored one; no other process can change the file
   * meanwhile. Throws like `write`, and CORRUPT.
   */
  async change(next: (before: Rules) => Rules): Promise<void> {
    await this.#replace(async () => next((await this.read()) ?? NO_POLICY));
  }

  async #replace(make: () => Promise<Rules>): Promise<void> {
    const { logsFolder, clock } = this.#options;
    await makeFolder(logsFolder, this.#options);
    await withLock(locksFolderIn(logsFolder), 'retention', async (lock) => {
      const { rules, bySize } = await make();
      const updatedAt = isoTime(clock.now());
      const file = { formatVersion: versionOf('retention'), rules, bySize, updatedAt };
      const { error } = policySchema.safeParse(file);
      if (error !== undefined) throw invalid(problemOf(error));
      if (isEmpty({ rules, bySize })) return lock.remove(this.path, this.#options);
      await lock.replace(this.path, renderDocument(file), this.#options);
    });
  }
}

/** Such a file is no policy. Otherwise it would empty the trash, which only a policy may do. */
const isEmpty = ({ rules, bySize }: Rules): boolean => rules.length === 0 && !bySize;

interface Problem {
  readonly field: string;
  readonly problem: string;
}

function problemOf({ issues: [first] }: z.core.$ZodError): Problem {
  return { field: first?.path.join('.') ?? '', problem: first?.message ?? '' };
}

function invalid({ field, problem }: Problem): AppError {
  return new AppError('VALIDATION_ERROR', `The policy is wrong: ${field}: ${problem}.`, {
    hint: 'The policy was not changed. Correct the value and try again.',
    details: { field },
  });
}

function damaged(path: string, { field, problem }: Problem): AppError {
  return new AppError('CORRUPT', `${path}: ${field || 'the file'} is wrong: ${problem}.`, {
    hint: 'Until the file is correct, Daybook removes nothing automatically. Correct it (docs/FORMAT.md describes it), or replace it: with daybook retention clear and add, or with the tool set_retention_policy.',
    details: { path, field },
  });
}
