/**
 * The error codes of Daybook. Each has a number, whether repeating the same call can help (`retryable`), and
 * a hint what to do next, so that no caller must parse a message. `docs/ERRORS.md` is generated from this
 * table. The server maps errors to MCP results.
 */

interface ErrorKind {
  readonly number: number;
  readonly retryable: boolean;
  /** What to do next. The code that throws the error may give a more specific hint. */
  readonly hint: string;
}

const kind = (number: number, hint: string, retryable = false): ErrorKind => ({
  number,
  retryable,
  hint,
});

export const ERROR_KINDS = {
  VALIDATION_ERROR: kind(1000, 'Correct the named argument and call again.'),
  TIMEOUT: kind(1001, 'Call again, if possible with a smaller request.', true),
  QUERY_SYNTAX: kind(
    1010,
    'Correct the query at the given position, or omit `matchType` to search for plain words.',
  ),
  CONVERSATION_NOT_FOUND: kind(
    2000,
    'Check the id: `get_conversations` lists the conversations. To start a new one, call `save_message` without an id.',
  ),
  CONVERSATION_CORRUPTED: kind(
    2001,
    'The file was not changed. Correct it at the given place, or start a new conversation.',
  ),
  MESSAGE_NOT_FOUND: kind(
    2002,
    'Read the conversation with `get_conversation` to see its messages.',
  ),
  CONVERSATION_FULL: kind(2003, 'Start a new conversation, or raise DAYBOOK_MAX_MESSAGES.'),
  E_MB_FILE_NOT_FOUND: kind(2300, 'List the notes with `mb_list`.'),
  E_MB_READ: kind(2301, 'Check that the note is a readable UTF-8 Markdown file.'),
  E_MB_FULL: kind(
    2302,
    'Delete notes, join several notes into one, or raise DAYBOOK_MB_MAX_FILES.',
  ),
  E_KG_FULL: kind(2400, 'Delete facts (ended facts count too), or raise MCP_KG_MAX_TRIPLES.'),
  E_KG_INVALID_TRIPLE: kind(
    2401,
    'Subject, predicate and object must have 1 to 200 characters each.',
  ),
  PATH_ESCAPE: kind(2500, 'Give a relative path that stays inside the folder.'),
  FILESYSTEM_ERROR: kind(
    2501,
    'This step changed nothing. Check that the folder exists, that it is writable, and that the disk has free space.',
    true,
  ),
  TOO_LARGE: kind(2503, 'Split the content, or make it shorter.'),
  STORAGE_FULL: kind(
    2510,
    'This step changed nothing. Free some disk space, then call again.',
    true,
  ),
  LOCKED: kind(2511, 'Another process is writing here. Call again in a few seconds.', true),
  CONFLICT: kind(2512, 'Read the current content, then decide again.'),
  CORRUPT: kind(
    2513,
    'The damaged file was not changed. Correct it, or move it to another place and restore it with daybook restore BACKUP.',
  ),
  FORMAT_TOO_NEW: kind(
    2514,
    'A newer version of Daybook wrote this file. Update Daybook to read it.',
  ),
  ALREADY_EXISTS: kind(2515, 'Choose another name, or use the existing item.'),
  STORAGE_UNAVAILABLE: kind(
    2516,
    'Make the folder of the store available again: connect or mount the drive, or move the folder back. Daybook detects it within seconds. To start a new store there, run `daybook init` with this folder.',
    true,
  ),
  RATE_LIMITED: kind(
    3000,
    'Wait for the time in the message, or for a minute, then call again.',
    true,
  ),
  NOT_CONFIGURED: kind(3001, 'Set the named variable in the configuration of the MCP server.'),
  PROVIDER: kind(3100, 'Nothing that is stored was changed. Call again later.', true),
  PROVIDER_RETIRED: kind(3101, 'Set PERPLEXITY_BACKEND=agent.'),
  DECRYPT: kind(3200, 'The file was not changed. Check the encryption key.'),
  CANCELLED: kind(3300, 'Everything that was finished before the cancellation is stored.'),
  INTERNAL: kind(
    5000,
    'This is a bug in Daybook. Please report it with the details from the log on stderr.',
  ),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_KINDS;

export interface AppErrorOptions {
  hint?: string;
  /** Data for programs: positions, ids, limits. JSON values only. */
  details?: Record<string, unknown>;
  cause?: unknown;
  /** Whether the same call may succeed later, if the code alone does not say so. */
  retryable?: boolean;
}

/** The only error class of Daybook. Tests and callers use `code`, never the message. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: Record<string, unknown> | undefined;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = options.hint ?? ERROR_KINDS[code].hint;
    this.details = options.details;
    this.retryable = options.retryable ?? ERROR_KINDS[code].retryable;
  }

  /** Whether the hint is the default hint of the code. */
  get isGeneralHint(): boolean {
    return this.hint === ERROR_KINDS[this.code].hint;
  }

  get number(): number {
    return ERROR_KINDS[this.code].number;
  }
}

/** Whether it is an `AppError`, with one of these codes if any are given. */
export function isAppError(error: unknown, ...codes: readonly ErrorCode[]): error is AppError {
  return error instanceof AppError && (codes.length === 0 || codes.includes(error.code));
}

/** The same error with another message, another hint or other details. */
export function errorWith(
  cause: AppError,
  changes: Pick<AppErrorOptions, 'hint' | 'details'> & { readonly message?: string },
): AppError {
  const { code, message, hint, details, retryable } = cause;
  const same = { hint, retryable, ...(details && { details }) };
  return new AppError(code, changes.message ?? message, { ...same, ...changes, cause });
}

export const withHint = (error: AppError, hint: string): AppError => errorWith(error, { hint });

/** Returns false if `check` throws an AppError, otherwise true. Rethrows all other errors. */
export function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (isAppError(error)) return false;
    throw error;
  }
}

/** Returns the AppError that `work` rejects with; `undefined` if it resolves. Rethrows all other errors. */
export async function appErrorOf(work: () => Promise<unknown>): Promise<AppError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
}

/**
 * Returns `undefined` if a read rejects with an AppError, with one of these codes if any are given: the file may be
 * damaged or gone. Rethrows all other errors.
 */
export async function undefinedIfUnreadable<T>(
  read: Promise<T>,
  ...codes: readonly ErrorCode[]
): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isAppError(error, ...codes)) return undefined;
    throw error;
  }
}

/** Returns the errno name (`ENOENT`, …) of a Node system error; `undefined` for any other value. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof AppError || !('code' in error))
    return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns `undefined` if `work` throws an error of a system call. Rethrows all other errors. */
export function undefinedIfRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
