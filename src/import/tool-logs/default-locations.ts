/**
 * Where tools store their logs on this machine. The folders are searched only on request (`daybook import`
 * without a path, `info`, a watch). tool-deletion.ts finds which tools delete old logs.
 */

import { basename, join } from 'node:path';
import { isAppError } from '../../base/errors.js';
import { listFolders } from '../../files/paths/folders.js';
import { readStamp } from '../../files/read/stamp.js';
import { deletionByClaudeCode, deletionByGemini } from './tool-deletion.js';

/** Passed by the caller, because only src/config reads the environment. */
export interface Machine {
  readonly home: string;
  /** The folder in which programs of this platform store their settings. */
  readonly programs: string;
  /** Returns the value of an environment variable that sets the location of a tool's files. */
  readonly variable: (name: string) => string | undefined;
}

/** Each of them can be watched (`DAYBOOK_IMPORT_WATCH`). */
type LocationKind =
  | 'claude-code'
  | 'codex'
  | 'gemini-cli'
  | 'cursor-cli'
  | 'cursor'
  | 'vscode'
  | 'copilot-cli'
  | 'opencode'
  | 'llm'
  | 'insights-mcp';

export interface DefaultLocation {
  readonly kind: LocationKind;
  readonly title: string;
  readonly path: string;
  /** What the tool deletes and when, as a text for people; absent if it deletes nothing. */
  readonly deletes?: string;
}

/** All locations, whether a tool uses them or not. */
function defaultLocations({ home, programs, variable }: Machine): readonly DefaultLocation[] {
  const claude = variable('CLAUDE_CONFIG_DIR') ?? join(home, '.claude');
  const gemini = join(home, '.gemini');
  const llm = variable('LLM_USER_PATH') ?? join(programs, 'io.datasette.llm');
  const editor = join(programs, 'Cursor', 'User');
  const codex = variable('CODEX_HOME') ?? join(home, '.codex');
  const data = variable('XDG_DATA_HOME') ?? join(home, '.local', 'share');
  const vscode = ['Code', 'Code - Insiders', 'VSCodium'].flatMap((program) => {
    const user = join(programs, program, 'User');
    return [join(user, 'workspaceStorage'), join(user, 'globalStorage', 'emptyWindowChatSessions')];
  });
  const location = (
    kind: LocationKind,
    title: string,
    path: string,
    deletes?: string,
  ): DefaultLocation => ({ kind, title, path, ...(deletes !== undefined && { deletes }) });
  return [
    location(
      'claude-code',
      'Claude Code',
      claude,
      deletionByClaudeCode(join(claude, 'settings.json')),
    ),
    location('codex', 'Codex', codex),
    location(
      'gemini-cli',
      'Gemini CLI',
      join(gemini, 'tmp'),
      deletionByGemini(join(gemini, 'settings.json')),
    ),
    location('cursor-cli', 'Cursor (command line)', join(home, '.cursor', 'projects')),
    location('cursor-cli', 'Cursor (command line, chats)', join(home, '.cursor', 'chats')),
    location('cursor', 'Cursor (editor)', join(editor, 'globalStorage', 'state.vscdb')),
    location('cursor', 'Cursor (editor, older chats)', join(editor, 'workspaceStorage')),
    ...vscode.map((path) => location('vscode', 'VS Code', path, DELETED_BY_VSCODE)),
    location(
      'copilot-cli',
      'GitHub Copilot (command line)',
      join(home, '.copilot', 'session-state'),
    ),
    location('opencode', 'OpenCode', join(data, 'opencode', 'opencode.db')),
    location('llm', 'llm', join(llm, 'logs.db')),
    location('insights-mcp', 'insights-mcp', join(home, '.insights-mcp', 'insights.db')),
  ];
}

/** `maxPersistedSessions` in `chatSessionStore.ts` of microsoft/vscode. */
const DELETED_BY_VSCODE = 'all but the newest 400 chats of a folder';

/** What a tool creates with its first conversation, in a folder that also has its settings. */
const FIRST_ENTRIES: Partial<Record<LocationKind, readonly string[]>> = {
  'claude-code': ['projects', 'history.jsonl'],
  codex: ['sessions', 'archived_sessions'],
};

/** Returns the locations where a tool stored something, also those that cannot be inspected. */
export async function findDefaultLocations(machine: Machine): Promise<DefaultLocation[]> {
  const found: DefaultLocation[] = [];
  for (const location of defaultLocations(machine)) {
    if (await isUsed(location)) found.push(location);
  }
  return found;
}

async function isUsed({ kind, path }: DefaultLocation): Promise<boolean> {
  if (kind === 'vscode' && basename(path) === 'workspaceStorage') return hasChats(path);
  for (const entry of FIRST_ENTRIES[kind] ?? ['']) {
    if (await mayBeThere(join(path, entry))) return true;
  }
  return false;
}

/** VS Code has a folder in `workspaceStorage` for each folder that was opened, also without a chat. */
async function hasChats(path: string): Promise<boolean> {
  try {
    for (const folder of await listFolders(path)) {
      if (await mayBeThere(join(path, folder, 'chatSessions'))) return true;
    }
    return false;
  } catch (error) {
    if (isAppError(error)) return true; // it cannot be inspected
    throw error;
  }
}

/** An import reports a location that cannot be inspected. */
async function mayBeThere(path: string): Promise<boolean> {
  try {
    return (await readStamp(path)) !== undefined;
  } catch (error) {
    if (isAppError(error, 'FILESYSTEM_ERROR')) return true;
    throw error;
  }
}
