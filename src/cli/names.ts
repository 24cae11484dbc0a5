/** Names on the command line that its help needs before anything else is loaded. */

/** The MCP clients that `daybook init` knows. */
export const CLIENT_NAMES = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf'];

/** Commands that are made of one tool, by the name of the tool. */
export const SINGLE_TOOLS: Readonly<Record<string, string>> = {
  list: 'get_conversations',
  save: 'save_message',
};

/** Groups of commands that are made of all tools of a toolset. */
export const GROUPS: Readonly<Record<string, string>> = {
  insight: 'insights',
  kg: 'kg',
  mb: 'memory_bank',
};

/** What stands at the end of a help text; `examples` without the name of the program. */
export function examplesText(...examples: readonly string[]): string {
  if (examples.length === 0) return '';
  const lines = examples.map((example) => `\n  daybook ${example}`);
  return `\nExample${lines.length === 1 ? '' : 's'}:${lines.join('')}`;
}
