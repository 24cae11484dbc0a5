/**
 * Help texts for people, by command. They replace descriptions of tools and inputs that are written for
 * assistants. Names of inputs in backquotes are replaced by options.
 */
import type { ToolCommand } from './tool-command.js';

type Help = Pick<ToolCommand, 'description' | 'about'>;

const OF_A_FACT = {
  triples: 'JSON list of facts, each with subject, predicate and object.',
  subject: 'Subject of the fact (not together with `triples`).',
  predicate: 'Predicate of the fact (not together with `triples`).',
  object: 'Object of the fact (not together with `triples`).',
};
const SEARCH = {
  matchType: 'How to match.',
  includeExpired: 'Also insights that have expired.',
};
const CONTEXT =
  'The project: a path, git:host/owner/repository, project:name, or global (default: the project of the working folder).';
const AS_OF = 'Facts that were true at this time, such as 2025-01-24.';
const PAGE = { offset: 'Results to skip.' };
const DATES = {
  updatedAfter:
    'Only conversations that were last changed at or after this time, such as 2025-01-24.',
  updatedBefore: 'Only conversations that were last changed at or before this time.',
  createdAfter: 'Only conversations that started at or after this time.',
  createdBefore: 'Only conversations that started at or before this time.',
};

export const COMMAND_HELP: Readonly<Record<string, Help>> = {
  list: {
    about: {
      query: 'Words that must all be in the title or the tags; beginnings of words are enough.',
      pinned: 'Only pinned conversations.',
      cursor: 'The cursor that the previous page printed.',
      ...DATES,
    },
  },
  save: {
    about: {
      conversationId:
        'Continue this conversation (key, id, title or last), or start one with a new key.',
      metadata: 'A JSON object to store with the message.',
    },
  },
  'insight save': {
    description: 'save a finding, pattern or decision about a project for later sessions',
    about: {
      context: CONTEXT,
      metadata: 'A JSON object to store with the insight.',
      expires: 'Expiry, such as 2025-12-31: after this day or time it is ignored.',
    },
  },
  'insight search': {
    description: 'find insights of one project by words, the best first, each with a snippet',
    about: { ...SEARCH, ...PAGE, context: CONTEXT },
  },
  'insight list': {
    description: 'list the insights of one project, the newest first',
    about: { ...SEARCH, ...PAGE, context: CONTEXT },
  },
  'insight get': { description: 'show one insight, also one that has expired' },
  'insight update': {
    description: 'change the given fields of an insight; the other fields are not changed',
    about: {
      metadata: 'A JSON object that replaces all metadata of the insight.',
      expires: 'New expiry, such as 2025-12-31; null: none.',
    },
  },
  'insight delete': { description: 'move an insight to the trash; undo it with daybook restore' },
  'kg add': {
    about: {
      ...OF_A_FACT,
      replaces: 'End the current facts with the same subject and predicate.',
    },
    description: 'store facts such as Ada / lives in / London',
  },
  'kg delete': {
    about: {
      ...OF_A_FACT,
      close:
        'End the facts instead of deleting them, so that they can still be found as past facts.',
      validTo: 'When the facts ended, with `close`.',
    },
    description: 'delete facts, or end facts that are no longer true',
  },
  'kg query': {
    about: {
      prefix: 'The given subject, predicate and object are only beginnings.',
      includeClosed: 'Also facts that have ended.',
      asOf: AS_OF,
      since: 'Only facts that began at or after this time.',
      until: 'Only facts that began at or before this time.',
      ...PAGE,
    },
    description:
      'find facts by their parts, by words or by time; without arguments, all current facts',
  },
  'kg neighbors': {
    about: { includeClosed: 'Also facts that have ended.', asOf: AS_OF, ...PAGE },
    description: 'show the facts around a name, nearest first',
  },
  'kg subjects': { about: PAGE, description: 'list subjects and how many facts each has' },
  'kg stats': { description: 'show the size and the files of the graph, and damaged lines' },
  'kg save': {
    description: 'write a new snapshot of the graph; Daybook also does this automatically',
  },
  'kg export': {
    about: {
      format:
        'jsonl is complete, memory is for the official MCP memory server, mermaid is a diagram.',
      offset: 'Lines to skip; not with `file`.',
    },
    description: 'write the graph as text',
  },
  'kg import': {
    about: {
      file: 'A file in the working folder or in the exports folder; - reads the standard input.',
      text: 'The lines to import, instead of `file`.',
    },
    description: 'read facts from kg export or from the memory.jsonl of the MCP memory server',
  },
  'mb list': { description: 'list the notes', about: PAGE },
  'mb read': {
    description: 'print a note, or some of its lines',
    about: { startColumn: 'The first character to print of the first line.' },
  },
  'mb history': {
    about: { commit: 'Print the text at this commit.' },
    description:
      'list the git commits that changed a note, the newest first, or print the text of the note at one of them',
  },
  'mb search': {
    about: {
      mode: 'ranked: sections, the best first; exact: lines with the text; regex: lines that match an RE2 expression.',
      matchType: 'How to match, for mode ranked.',
      caseSensitive: 'For the modes exact and regex: upper and lower case are different.',
      ...PAGE,
    },
    description: 'find sections or lines of notes',
  },
  'mb add': { description: 'write a new note; an existing one is never overwritten' },
  'mb edit': {
    description:
      'change a note in one of four ways: replace a passage (--old-text, --new-text), insert lines (--insert-line, --insert-text), rename it (--new-path), or replace the whole text (--content, --hash)',
    about: {
      oldText: 'A passage that occurs exactly once.',
      newText: 'The text that replaces `oldText`.',
      insertLine: 'Insert after the line with this number; 0 is the beginning.',
      content: 'The whole new text; needs `hash`.',
      hash: 'The hash of the note when you read it (daybook mb read --json shows it); if the note has changed since, the edit is refused.',
    },
  },
  'mb delete': {
    description: 'move a note to the trash; undo it with daybook restore',
    about: {
      hash: 'The hash of the note when you read it (daybook mb read --json shows it); if the note has changed since, it is not deleted.',
    },
  },
  'mb reindex': { description: 'read all notes again; Daybook also does this automatically' },
};
