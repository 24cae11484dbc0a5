/** What each error code means, for docs/ERRORS.md. A code without a sentence does not compile. */
import type { ErrorCode } from '../../src/base/errors.js';

export const EXPLANATIONS: Record<ErrorCode, string> = {
  VALIDATION_ERROR:
    'An argument or a setting is missing, unknown or of the wrong kind. The message names it and describes valid values. Nothing was changed.',
  TIMEOUT: 'The work took longer than its time limit.',
  QUERY_SYNTAX:
    'A full-text query is not valid FTS5 syntax, or a regular expression of `mb_search` is not valid RE2. For a full-text query, only `matchType: fts5` reports this, with the position.',
  CONVERSATION_NOT_FOUND: 'No conversation has that id or key.',
  CONVERSATION_CORRUPTED:
    'The `conversation.json` is damaged, for example it is not valid JSON, or a message has no `role` or `content`. `details` has the position. Other conversations are not affected.',
  MESSAGE_NOT_FOUND: 'The conversation exists, but has no message with that id.',
  CONVERSATION_FULL: 'The conversation has as many messages as `DAYBOOK_MAX_MESSAGES` allows.',
  E_MB_FILE_NOT_FOUND: 'No note has that path.',
  E_MB_READ: 'The note exists but cannot be read as UTF-8 text.',
  E_MB_FULL:
    'The memory bank has as many notes as `DAYBOOK_MB_MAX_FILES` allows. Nothing was written.',
  E_KG_FULL:
    'The knowledge graph has as many facts as `MCP_KG_MAX_TRIPLES` allows. Nothing was written.',
  E_KG_INVALID_TRIPLE:
    'The subject, predicate or object of a fact is empty or longer than 200 characters. It is refused, never cut.',
  PATH_ESCAPE:
    'A path could lead out of its folder, on this or another operating system: it is absolute or percent-encoded, has `..`, a drive letter, a NUL, a reserved name or characters that look like separators, or goes through a symbolic link. A path that only resembles an existing name (case, composition, similar letters) is refused as well; `details.twin` is that name.',
  FILESYSTEM_ERROR:
    'The operating system refused to read or write, for example because of permissions, too many open files or a failing disk.',
  TOO_LARGE: 'A value is too large to be stored in one piece.',
  STORAGE_FULL:
    'The disk is full, or the store has reached its limit (`DAYBOOK_MAX_SIZE_MB`). Stored data are intact.',
  LOCKED:
    'Another process held the lock of this file for more than ten seconds, or it is encrypting, decrypting or archiving the store or importing into it. Or the store now has another key than when this process started. The message has the reason.',
  CONFLICT:
    'Something that the call depends on has changed, or the call is not possible now, such as a follow-up while research is still running.',
  CORRUPT: 'A file other than a conversation is damaged.',
  FORMAT_TOO_NEW:
    'The file has a format version that this Daybook does not know. It is neither read nor changed.',
  STORAGE_UNAVAILABLE:
    'The folder of the store is missing, unreadable or not the same folder as before, for example because a drive is not connected (docs/RETENTION.md, "When the store is unavailable"). Nothing is written elsewhere.',
  ALREADY_EXISTS: 'The name is in use already.',
  RATE_LIMITED:
    'The provider requires a pause. If the provider says how long, the time is in `details`.',
  NOT_CONFIGURED: 'The tool needs a setting that is missing, such as `PERPLEXITY_API_KEY`.',
  PROVIDER: 'The provider failed or gave an answer that cannot be used.',
  PROVIDER_RETIRED:
    'Perplexity has retired the chat-completions endpoint; the key is not the problem.',
  DECRYPT: 'A file is encrypted, and the key is missing or does not fit.',
  CANCELLED: 'The client cancelled the call, or the server was asked to end while the call waited.',
  INTERNAL:
    'Daybook has a bug. The message has a reference; the log on stderr has the same reference, with the details.',
};
