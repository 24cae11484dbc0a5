/**
 * The messages of a session of Gemini CLI. Its log records what the model is to see: `$set.messages` replaces
 * that when the history is compressed or a turn is cancelled, often under new ids. What was said before
 * stays in the conversation. Messages that `$rewindTo` takes back become a branch.
 */

import { groupedBy } from '../../../base/arrays/grouped-by.js';
import { objectsIn, textIn } from '../../../base/json-fields.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { contentText } from '../../reading/messages/openai-messages.js';
import type { TreeNode } from '../../reading/messages/tree.js';

export interface GeminiNode extends TreeNode {
  message: JsonObject;
}

/** The program writes this summary, and the model's answer to it. */
const SUMMARY = /^\s*<state_snapshot>/;

export class GeminiLog {
  readonly #nodes = new Map<string, GeminiNode>();
  /** A later id of a message that was there before. */
  readonly #renamed = new Map<string, string>();
  /** The ids of the messages that are shown, in order. */
  #shown: string[] = [];

  get nodes(): readonly GeminiNode[] {
    return [...this.#nodes.values()];
  }

  get shownLeaf(): string | undefined {
    return this.#shown.at(-1);
  }

  /** Adds a message, or replaces the message of its id. */
  put(message: JsonObject): void {
    const own = textIn(message['id']) ?? `message ${this.#nodes.size + 1}`;
    const id = this.#renamed.get(own) ?? own;
    const node = this.#nodes.get(id);
    if (node === undefined) {
      this.#nodes.set(id, { id, parent: this.shownLeaf, message });
      this.#shown.push(id);
    } else node.message = { ...message, id };
  }

  /** Adds the new ones of the messages that the model gets now. */
  set(messages: readonly JsonObject[]): void {
    const ids = new Set(messages.map((message) => this.#idOf(message)));
    let others: Map<string, string[]> | undefined;
    let isAfterSummary = false;
    for (const message of messages) {
      const isAnswer = isAfterSummary && message['type'] === 'gemini';
      isAfterSummary = SUMMARY.test(contentText(message['content']));
      if (isAnswer) continue;
      const id = this.#idOf(message);
      others ??= this.#nodes.has(id) ? undefined : this.#shownWithout(ids);
      const before = this.#nodes.has(id) ? undefined : others?.get(whatIsSaid(message))?.pop();
      if (before === undefined) this.put(message);
      else if (textIn(message['id']) !== undefined) this.#renamed.set(id, before);
    }
  }

  /** The ids of the shown messages, by what is said in them, without `ids`. */
  #shownWithout(ids: ReadonlySet<string>): Map<string, string[]> {
    const others = this.#shown.filter((id) => !ids.has(id));
    return groupedBy(others, (id) => whatIsSaid(this.#nodes.get(id)?.message ?? {}));
  }

  /** Takes back the message and those after it. An id that is not shown changes nothing. */
  rewindTo(given: string): void {
    const at = this.#shown.indexOf(this.#renamed.get(given) ?? given);
    if (at !== -1) this.#shown = this.#shown.slice(0, at);
  }

  #idOf(message: JsonObject): string {
    const id = textIn(message['id']) ?? '';
    return this.#renamed.get(id) ?? id;
  }
}

function whatIsSaid({ type, content, toolCalls }: JsonObject): string {
  const calls = objectsIn(toolCalls).map(({ id, name, args }) => textIn(id) ?? [name, args]);
  return JSON.stringify([type, contentText(content), calls]);
}
