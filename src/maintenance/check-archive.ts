/**
 * Compares an archive with its list of contents: every file must be in both, with the same SHA-256. This is
 * done after an archive was written and before it gets its name (backup.ts, archives/archive-files.ts), before it is
 * restored, and by `daybook doctor`.
 */
import { z } from 'zod';
import { AppError } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import { parseDocument } from '../files/read/json-document.js';
import { readArchive } from '../files/tar-archive.js';

/** The name of the list of contents, the last entry of every archive. */
export const CONTENTS_NAME = 'daybook-backup.json';
export const CONTENTS_FORMAT = 'daybook-backup';
export const CONTENTS_VERSION = 1;

const contentsSchema = z.object({
  format: z.literal(CONTENTS_FORMAT),
  version: z.int(),
  createdAt: z.string(),
  files: z.array(z.object({ name: z.string(), sizeBytes: z.number(), sha256: z.string() })),
});
type ArchiveContents = z.output<typeof contentsSchema>;

/**
 * Reads a whole archive and compares every file with the list of contents, which it returns. CORRUPT (with
 * the problem in `details`), FORMAT_TOO_NEW, FILESYSTEM_ERROR, DECRYPT.
 */
export async function checkArchive(
  path: string,
  signal?: AbortSignal,
  onFile?: (count: number) => void,
): Promise<ArchiveContents> {
  const found = new Map<string, string>();
  let contents: ArchiveContents | undefined;
  for await (const { name, bytes } of readArchive(path)) {
    signal?.throwIfAborted();
    if (name === CONTENTS_NAME) contents = parseContents(bytes, path);
    else if (found.has(name)) throw damaged(path, `${name} is in the archive twice`);
    else found.set(name, sha256Hex(bytes));
    onFile?.(found.size);
  }
  if (contents === undefined)
    throw damaged(path, `${CONTENTS_NAME}, its list of files, is missing`);
  for (const { name, sha256 } of contents.files) {
    const actual = found.get(name);
    if (actual === undefined) throw damaged(path, `${name} is missing`);
    if (actual !== sha256) throw damaged(path, `${name} has other content than the archived file`);
    found.delete(name);
  }
  const [extra] = found.keys();
  if (extra !== undefined) throw damaged(path, `${extra} is not in the list of files`);
  return contents;
}

function parseContents(bytes: Uint8Array, path: string): ArchiveContents {
  const parsed = contentsSchema.safeParse(parseDocument(bytes, CONTENTS_NAME, 'CORRUPT'));
  if (!parsed.success) throw damaged(path, `${CONTENTS_NAME} is not a list of files`);
  const { version } = parsed.data;
  if (version <= CONTENTS_VERSION) return parsed.data;
  throw new AppError(
    'FORMAT_TOO_NEW',
    `A newer version of Daybook made ${path} (format ${version}).`,
    {
      details: { path, version },
    },
  );
}

function damaged(path: string, problem: string): AppError {
  return new AppError('CORRUPT', `The backup ${path} is damaged or was changed: ${problem}.`, {
    hint: 'Nothing was restored. Use another backup.',
    details: { path, problem },
  });
}
