/**
 * What a client may offer while somebody types a conversation id or a module.
 */
import type { App } from '../app.js';

/** The protocol's own limit. */
const MOST_VALUES = 100;

export interface Completion {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
}

export type Completer = (app: App, typed: string) => Promise<Completion>;

/** Ids that begin with what was typed, or whose key does or whose title has it; last changed first. */
export const completeConversation: Completer = async ({ conversations }, typed) => {
  const wanted = typed.toLowerCase();
  const heads = await conversations.list();
  const found = heads.filter(
    ({ conversationId, clientId, title }) =>
      conversationId.startsWith(typed) ||
      clientId?.toLowerCase().startsWith(wanted) ||
      (wanted !== '' && title?.toLowerCase().includes(wanted)),
  );
  return completion(found.map(({ conversationId }) => conversationId));
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
