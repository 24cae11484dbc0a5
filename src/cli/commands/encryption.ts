/**
 * `daybook encrypt` and `daybook decrypt`: give every file of the store another form, in place. Both go on
 * where they were stopped.
 */
import { join } from 'node:path';
import { convertEncryption } from '../../app/encryption.js';
import { AppError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import type { GivenKey } from '../../encryption/keys.js';
import { resolveRealPath } from '../../files/door/real-path.js';
import { listFiles } from '../../files/read/list-files.js';
import { configuration, type Flags } from '../configuration.js';
import { NOTHING_FOUND } from '../status.js';
import { confirm, requireTerminal } from '../terminal/ask.js';
import { countOf, report } from '../terminal/output.js';
import { progressBar } from '../terminal/progress-bar.js';
import { escapeControls, oneLine } from '../terminal/terminal-text.js';
import { requireRoot } from '../with-app.js';

export interface EncryptOptions {
  keyFile?: string;
  passphrase?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** VALIDATION_ERROR without a key; otherwise throws like `convertStore`. */
export async function encrypt(options: EncryptOptions, flags: Flags): Promise<void> {
  const config = configuration(flags);
  const wanted = givenKey(options, config);
  const keeps = options.passphrase ? 'passphrase' : 'key file';
  const question = `Encrypt everything in ${config.root}? Without the ${keeps} it cannot be read again.`;
  await convert(config, wanted, question, options);
}

/** Throws like `convertStore`. */
export async function decrypt(
  options: { yes?: boolean; json?: boolean },
  flags: Flags,
): Promise<void> {
  const config = configuration(flags);
  const question = `Decrypt everything in ${config.root}, so that everybody who reads the files can read it?`;
  await convert(config, undefined, question, options);
}

function givenKey({ keyFile, passphrase }: EncryptOptions, { encryption }: Config): GivenKey {
  if (keyFile !== undefined && passphrase) {
    throw new AppError('VALIDATION_ERROR', '--key-file and --passphrase cannot be used together.');
  }
  if (keyFile !== undefined) return { keyFile: resolveRealPath(keyFile) };
  if (passphrase && encryption.passphrase !== undefined) {
    return { passphrase: encryption.passphrase };
  }
  throw new AppError(
    'VALIDATION_ERROR',
    passphrase ? 'DAYBOOK_PASSPHRASE is not set.' : 'A key is needed: --key-file or --passphrase.',
    {
      hint: passphrase
        ? 'The passphrase is read from the environment, where servers read it too.'
        : 'Make a key with: openssl rand -hex 32 > FILE',
    },
  );
}

async function convert(
  config: Config,
  wanted: GivenKey | undefined,
  question: string,
  { yes, json }: { yes?: boolean; json?: boolean },
): Promise<void> {
  await requireRoot(config);
  if (!yes) {
    requireTerminal('Nothing was changed.');
    if (!(await confirm(oneLine(question)))) {
      process.exitCode = NOTHING_FOUND;
      return;
    }
  }
  const bar = progressBar(process.stderr);
  const onFile = (progress: number) => bar.show({ progress, message: 'files' });
  const done = await convertEncryption(config, wanted, onFile).finally(() => bar.clear());
  const copies = wanted === undefined ? [] : await copiesOf(config);
  report({ ...done, copies }, json, () => {
    const state =
      done.keyId === undefined ? 'in the clear' : `encrypted with the key ${done.keyId}`;
    console.log(`${countOf(done.converted, 'file')} changed. The store is ${state}.`);
  });
  for (const { path, reason } of done.left)
    console.error(oneLine(`left as it is: ${path}: ${reason}`));
  if (copies.length > 0) {
    console.error(
      'Backups and exports from before may hold your texts in the clear. Delete them, or keep them in a safe place:',
    );
    for (const path of copies) console.error(escapeControls(`  ${path}`));
  }
}

/** What was copied out of the store before. */
async function copiesOf({ root, backup }: Config): Promise<string[]> {
  const copies: string[] = [];
  for (const folder of [backup.folder, join(root, 'exports')]) {
    for await (const { path } of listFiles(folder, (name) => name === '.gitignore'))
      copies.push(path);
  }
  return copies;
}
