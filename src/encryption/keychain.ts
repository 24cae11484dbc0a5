/**
 * The system's keychain: macOS Keychain, Windows Credential Manager, or the Secret Service of a Linux
 * desktop. A key is stored as 64 hexadecimal digits, under the service `daybook` and the key's id.
 */
import type { AsyncEntry } from '@napi-rs/keyring';
import { AppError } from '../base/errors.js';
import type { OptionalPackages } from '../files/optional-packages.js';

/** The tested version. */
export const KEYCHAIN_PACKAGE = { '@napi-rs/keyring': '2.1.2' } as const;
export const KEYCHAIN_SERVICE = 'daybook';

export interface Keychain {
  /** Returns `undefined` if the keychain has no such key. NOT_CONFIGURED if there is no usable keychain. */
  read(keyId: string): Promise<string | undefined>;
  /** Stores the key, and reads it back to check it. NOT_CONFIGURED like `read`, and if it differs. */
  write(keyId: string, digits: string): Promise<void>;
}

const libraryIn = (packages: OptionalPackages) =>
  packages.load('@napi-rs/keyring') as { AsyncEntry: typeof AsyncEntry } | undefined;

export const isKeychainInstalled = (packages: OptionalPackages): boolean =>
  libraryIn(packages) !== undefined;

/** Returns the keychain of the system. The package is loaded at the first use. */
export function systemKeychain(packages: OptionalPackages): Keychain {
  const entryOf = (keyId: string): AsyncEntry => {
    const library = libraryIn(packages);
    if (library === undefined) throw notInstalled();
    // Without it, the library uses the memory of the kernel if there is no keychain: lost at a restart.
    const options = { linux: { store: 'secret-service' } } as const;
    return new library.AsyncEntry(KEYCHAIN_SERVICE, keyId, options);
  };
  const read = async (keyId: string) => (await entryOf(keyId).getPassword()) ?? undefined;
  const write = async (keyId: string, digits: string) => {
    await entryOf(keyId).setPassword(digits);
    if ((await read(keyId)) !== digits) throw new Error('the stored key could not be read back');
  };
  return {
    read: (keyId) => usable(read(keyId)),
    write: (keyId, digits) => usable(write(keyId, digits)),
  };
}

const usable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof AppError ? error : notUsable(error);
  });

function notInstalled(): AppError {
  return new AppError('NOT_CONFIGURED', 'The package that reads the keychain is not installed.', {
    hint: 'Run daybook encrypt --keychain --yes, which installs it, or set DAYBOOK_KEY_FILE to a copy of the key.',
  });
}

function notUsable(cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError('NOT_CONFIGURED', `The system's keychain cannot be used: ${reason}.`, {
    hint: 'Unlock the keychain and try again. A machine without a desktop session may have no keychain: use a key file there.',
    cause,
  });
}
