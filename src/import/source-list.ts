/** All sources, in the order in which detect-source.ts tries them, and the source of a given kind. */
import { AppError } from '../base/errors.js';
import type { Source } from './source-interface.js';
import { chatgpt } from './sources/chatgpt/chatgpt.js';
import { claude } from './sources/claude/claude.js';
import { claudeCode } from './sources/claude/claude-code.js';
import { codex } from './sources/codex/codex.js';
import { copilotCli } from './sources/copilot/copilot-cli.js';
import { vscode } from './sources/copilot/vscode.js';
import { cursor } from './sources/cursor/cursor.js';
import { cursorCli } from './sources/cursor/cursor-cli.js';
import { daybook } from './sources/daybook.js';
import { geminiApps } from './sources/gemini/gemini-apps.js';
import { geminiCli } from './sources/gemini/gemini-cli.js';
import { insightsMcp } from './sources/insights-mcp.js';
import { libreChat } from './sources/librechat.js';
import { llm } from './sources/llm.js';
import { markdown } from './sources/markdown.js';
import { mem0 } from './sources/mem0.js';
import { memoryBank } from './sources/memory-bank.js';
import { mnemosyne } from './sources/mnemosyne.js';
import { odeiHistory } from './sources/odei-history.js';
import { openai } from './sources/openai.js';
import { opencode } from './sources/opencode.js';
import { openWebUi } from './sources/openwebui.js';
import { serverMemory } from './sources/server-memory.js';
import { vault } from './sources/vault.js';

/** A special format must be before a more general one. */
export const SOURCES: readonly Source[] = [
  chatgpt,
  claude,
  codex,
  geminiCli,
  geminiApps,
  cursorCli,
  claudeCode,
  vscode,
  copilotCli,
  cursor,
  daybook,
  serverMemory,
  mnemosyne,
  odeiHistory,
  insightsMcp,
  llm,
  opencode,
  openWebUi,
  libreChat,
  openai,
  mem0,
  memoryBank,
  vault,
  markdown,
];

/** These detect their own files among any others. */
export const RECOGNISABLE: readonly Source[] = [
  ...[chatgpt, claude, codex, geminiCli, geminiApps, cursorCli, claudeCode, vscode, copilotCli],
  ...[cursor, mnemosyne, odeiHistory, insightsMcp, llm, opencode],
];

/** In a folder or an archive these open every JSON file, also those of other programs. */
export const GENERAL: readonly Source[] = [daybook, libreChat, openai, mem0];

export const KINDS: readonly string[] = SOURCES.map(({ kind }) => kind);

/** The source of this kind. VALIDATION_ERROR. */
export function requireKind(from: string): Source {
  const named = SOURCES.find(({ kind }) => kind === from);
  if (named !== undefined) return named;
  throw new AppError('VALIDATION_ERROR', `There is no source ${from}.`, {
    hint: `The sources are ${KINDS.join(', ')}.`,
  });
}
