/** How a person continues an imported session in the program that it came from, while that still has it. */
import { isRecord, textIn } from '../base/json-fields.js';
import type { JsonObject } from '../stores/conversations/document/schema.js';
import { SUBAGENT_TAG } from './source-interface.js';

export interface Resume {
  /** Name of the program. */
  readonly program: string;
  readonly command: string;
  /** Where the command is run. */
  readonly folder?: string;
}

/** By kind of source: the program and its option, from the documents of these programs. */
const PROGRAMS: Readonly<Record<string, readonly [program: string, command: string]>> = {
  'claude-code': ['Claude Code', 'claude --resume'],
  codex: ['Codex', 'codex resume'],
  'gemini-cli': ['Gemini CLI', 'gemini --resume'],
  'copilot-cli': ['GitHub Copilot', 'copilot --resume'],
  opencode: ['OpenCode', 'opencode --session'],
};

/** Ids of branches have other characters. An id from a file must not be more than one word in a shell. */
const ID = /^\w[\w-]{0,99}$/;

interface Head {
  readonly metadata?: JsonObject | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** `undefined` if the conversation is no whole session of such a program. */
export function resumeOf({ metadata = {}, tags }: Head): Resume | undefined {
  const { source } = metadata;
  if (!isRecord(source) || source['isRemnant'] === true || tags?.includes(SUBAGENT_TAG))
    return undefined;
  const id = textIn(source['id']) ?? '';
  const found = Object.entries(PROGRAMS).find(([kind]) => kind === source['kind'])?.[1];
  if (found === undefined || !ID.test(id)) return undefined;
  const [program, command] = found;
  const folder = textIn(metadata['cwd']);
  return { program, command: `${command} ${id}`, ...(folder !== undefined && { folder }) };
}
