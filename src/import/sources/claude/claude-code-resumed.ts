/**
 * A resumed session of Claude Code begins with a copy of the session before it. Session files with the same first
 * line are one group, which is read as one tree. The logs of subagents belong to the group of their session.
 */

import { posix } from 'node:path';
import { parsedJson } from '../../../base/json.js';
import { isRecord, textIn } from '../../../base/json-fields.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import { linesOf } from '../../reading/documents/documents.js';
import type { ReadOptions } from '../../source-interface.js';
import { HISTORY } from './claude-code-history.js';
import { AGENT_LOG, sessionOfAgent } from './claude-code-subagents.js';

export const SESSION = /\.jsonl$/;
const BESIDE = /(^|\/)(subagents|workflows|tool-results)\//;

/** Session files with the same first line, oldest first, and the files of their subagents. */
export interface SessionGroup {
  readonly files: InputFile[];
  readonly agents: InputFile[];
  /** Titles of sessions, by the uuid of the line that the title refers to. */
  readonly summaries: ReadonlyMap<string, string>;
}

/** The groups of all sessions. A log of a subagent whose session is not in the input is a group of its own. */
export async function groupsOf({ files }: Input): Promise<SessionGroup[]> {
  const summaries = new Map<string, string>();
  const groups = new Map<string, SessionGroup>();
  const bySession = new Map<string, SessionGroup>();
  const logs = files.filter(({ name }) => SESSION.test(name) && !HISTORY.test(name));
  const sessions = logs.filter(({ name }) => !AGENT_LOG.test(name) && !BESIDE.test(name));
  for (const file of sessions) {
    // A session that was resumed in another folder has a copy there.
    const first = (await firstUuid(file, summaries)) ?? file.name;
    const group = groups.get(first) ?? { files: [], agents: [], summaries };
    groups.set(first, group);
    group.files.push(file);
    bySession.set(nameOf(file), group);
  }
  for (const file of logs.filter(({ name }) => AGENT_LOG.test(name))) {
    const session = await sessionOfAgent(file);
    const group = session === undefined ? undefined : bySession.get(session);
    const own = group ?? { files: [], agents: [], summaries };
    own.agents.push(file);
    if (group === undefined) groups.set(file.name, own);
  }
  return [...groups.values()];
}

/** Calls `isKnown` for every file, because the call also records which version was read. */
export function hasNewFiles({ files, agents }: SessionGroup, { isKnown }: ReadOptions): boolean {
  return [...files, ...agents].filter((file) => !isKnown?.(file)).length > 0;
}

/** The name that Claude Code gave to the file: the id of the session or of the subagent. */
export const nameOf = ({ name }: InputFile) => posix.basename(name, '.jsonl');

/** The uuid of the first line of the conversation. Adds the summaries in the lines before it to `summaries`. */
async function firstUuid(
  file: InputFile,
  summaries: Map<string, string>,
): Promise<string | undefined> {
  for await (const { text } of linesOf(file)) {
    const line = parsedJson(text);
    if (!isRecord(line)) continue;
    const [summary, leaf] = [textIn(line['summary']), textIn(line['leafUuid'])];
    if (summary !== undefined && leaf !== undefined) summaries.set(leaf, summary);
    const uuid = textIn(line['uuid']);
    if (uuid !== undefined) return uuid;
  }
  return undefined;
}
