/** Maps the words that programs use for the author of a message to roles. */
import type { Role } from '../../../stores/conversations/document/schema.js';

const ROLES: Readonly<Record<string, Role>> = {
  user: 'user',
  human: 'user',
  you: 'user',
  me: 'user',
  prompt: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  bot: 'assistant',
  model: 'assistant',
  gemini: 'assistant',
  claude: 'assistant',
  chatgpt: 'assistant',
  gpt: 'assistant',
  llm: 'assistant',
  response: 'assistant',
  system: 'system',
  developer: 'system',
};

/** `undefined` for tools and for words that are no role. */
export function roleIn(value: unknown): Role | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  return Object.hasOwn(ROLES, word) ? ROLES[word] : undefined;
}
