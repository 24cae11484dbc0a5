/**
 * Where tools keep their logs on this machine, and which of them delete what is old. Only looked at
 * when somebody asks (`daybook import` without a path, `info`, a watch).
 */
import { join } from 'node:path';
import { readStamp } from '../files/read/stamp.js';

/** Handed in, so that this room reads no environment. */
export interface Machine {
  readonly home: string;
  /** Where programs of this platform keep their settings. */
  readonly programs: string;
  /** Variables by which tools are told to keep their files elsewhere. */
  readonly variable: (name: string) => string | undefined;
}

export interface UsualPlace {
  readonly kind: string;
  readonly title: string;
  readonly path: string;
  /** In words; absent where the tool keeps everything. */
  readonly deletes?: string;
}

/** All of them, whether they are there or not. */
export function usualPlaces({ home, programs, variable }: Machine): readonly UsualPlace[] {
  const claude = variable('CLAUDE_CONFIG_DIR') ?? join(home, '.claude');
  const codex = variable('CODEX_HOME') ?? join(home, '.codex');
  const place = (kind: string, title: string, path: string, deletes?: string): UsualPlace => ({
    ...{ kind, title, path },
    ...(deletes !== undefined && { deletes }),
  });
  const sweep = 'sessions of more than 30 days, by default; some users saw 9';
  return [
    place('claude-code', 'Claude Code', claude, sweep),
    place('codex', 'Codex', codex),
    place('gemini-cli', 'Gemini CLI', join(home, '.gemini', 'tmp'), sweep.replace(/;.*/, '')),
    place('cursor-cli', 'Cursor (command line)', join(home, '.cursor', 'projects')),
    place(
      'cursor',
      'Cursor (editor)',
      join(programs, 'Cursor', 'User', 'globalStorage', 'state.vscdb'),
    ),
    place(
      'llm',
      'llm',
      join(variable('LLM_USER_PATH') ?? join(programs, 'io.datasette.llm'), 'logs.db'),
    ),
    place('insights-mcp', 'insights-mcp', join(home, '.insights-mcp', 'insights.db')),
  ];
}

/** Those that are there. FILESYSTEM_ERROR. */
export async function foundPlaces(machine: Machine): Promise<UsualPlace[]> {
  const found: UsualPlace[] = [];
  for (const place of usualPlaces(machine)) {
    if ((await readStamp(place.path)) !== undefined) found.push(place);
  }
  return found;
}
