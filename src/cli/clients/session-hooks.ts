/**
 * The hooks by which coding assistants begin each session with what is stored about the project: which
 * assistants have them, and in which file. The forms are from the documents and the source code of these programs
 * (docs/CLIENTS.md).
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Client, client, type Machine } from './clients.js';

/** More than a large store needs. The assistant waits for the command. */
const TIMEOUT_S = 20;

export interface SessionHook extends Client {
  /** The title of the client, without a mark for the hook. */
  readonly assistant: string;
  /** What the user must do before the assistant runs the hook. */
  readonly afterwards?: string;
}

/** In the form of clients, so that the same code shows, writes and removes both. */
export function sessionHooksOf({ home = homedir() }: Machine = {}): readonly SessionHook[] {
  const hook = (
    name: string,
    assistant: string,
    folder: string,
    file: string,
    timeout = TIMEOUT_S,
  ): SessionHook => ({
    ...client(name, `${assistant} (hook)`, join(home, folder), file, {
      serversField: 'hooks',
      format: 'hook',
      fields: { type: 'command', timeout },
    }),
    assistant,
  });
  return [
    hook('claude-code', 'Claude Code', '.claude', 'settings.json'),
    {
      ...hook('codex', 'Codex', '.codex', 'hooks.json'),
      afterwards: 'Codex runs a new hook only after you allow it there: type /hooks.',
    },
    // The time limit of Gemini CLI is in milliseconds.
    hook('gemini', 'Gemini CLI', '.gemini', 'settings.json', TIMEOUT_S * 1_000),
  ];
}
