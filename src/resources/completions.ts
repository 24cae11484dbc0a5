/**
 * Completions that a client may show while a person types a conversation id or a module.
 */
import type { App } from '../app.js';

/** The limit of the protocol (MCP, completion/complete). */
const MOST_VALUES = 100;

export interface Completion {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
}

export type Completer = (app: App, typed: string) => Promise<Completion>;

/**
 * Ids that begin with what was typed, or whose key does, the last changed first; then conversations
 * with a title like it.
 */
export const completeConversation: Completer = async ({ conversations, quickFind }, typed) => {
  const wanted = typed.toLowerCase();
  const heads = await conversations.list();
  const exact = heads.filter(
    ({ conversationId, clientId }) =>
      conversationId.startsWith(typed) || clientId?.toLowerCase().startsWith(wanted),
  );
  const ids = new Set(exact.map(({ conversationId }) => conversationId));
  if (wanted !== '') {
    const { hits } = await quickFind.find(typed, { kinds: ['conversation'], limit: MOST_VALUES });
    for (const { entry } of hits) ids.add(entry.id);
  }
  return completion([...ids]);
};

/** Modules that begin with what was typed, in any case; the one used last first. */
export const completeModule: Completer = async ({ conversations }, typed) => {
  const wanted = typed.toLowerCase();
  const heads = await conversations.list();
  const modules = new Set(heads.flatMap(({ module }) => module ?? []));
  return completion([...modules].filter((module) => module.toLowerCase().startsWith(wanted)));
};

export function completion(values: readonly string[]): Completion {
  return {
    values: values.slice(0, MOST_VALUES),
    total: values.length,
    hasMore: values.length > MOST_VALUES,
  };
}
