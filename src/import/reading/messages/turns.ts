/**
 * Builds the messages of one conversation from the records of a source. Tool calls and thinking go into the
 * metadata of the assistant's next message in the same turn; if there is none, into its last message; if
 * the assistant said nothing in the turn, into an empty message.
 */

import { definedOrNothing } from '../../../base/json-fields.js';
import type { Activity, ImportedMessage } from '../../source-interface.js';
import { activityMetadata, shortened, shortenedCall, type ToolCall } from './activity.js';

interface Draft {
  readonly message: ImportedMessage;
  readonly tools: ToolCall[];
  readonly thinking: string[];
}

/** The id and time for the empty message of a turn in which the assistant said nothing. */
export type Origin = Pick<ImportedMessage, 'id' | 'createdAt'>;

export class TurnBuilder {
  readonly #activity: Activity;
  readonly #drafts: Draft[] = [];
  readonly #callsById = new Map<string, ToolCall>();
  #tools: ToolCall[] = [];
  #thinking: string[] = [];
  #origin: Origin | undefined;
  readonly #leftOut = new Map<string, number>();

  constructor(activity: Activity) {
    this.#activity = activity;
  }

  /** An empty message is ignored. */
  addMessage(message: ImportedMessage): void {
    if (message.content.trim() === '') return;
    if (message.role === 'assistant') {
      this.#drafts.push({ message, tools: this.#tools, thinking: this.#thinking });
      this.#clearTurn();
      return;
    }
    this.endTurn();
    this.#drafts.push({ message, tools: [], thinking: [] });
  }

  addThinking(text: string | undefined, origin: Origin = {}): void {
    if (text === undefined || text.trim() === '') return;
    this.#thinking.push(text);
    this.#origin ??= origin;
  }

  /** `callId`: the id by which the result names the call. */
  addToolCall(tool: ToolCall, origin: Origin = {}, callId?: string): void {
    const call = shortenedCall(tool, this.#activity);
    this.#tools.push(call);
    this.#origin ??= origin;
    if (callId !== undefined) this.#callsById.set(callId, call);
  }

  /** Adds the result to its call. A result without a call becomes a call of its own. */
  addToolResult(
    result: { name?: string | undefined; text: string; isError?: boolean },
    callId?: string,
  ) {
    const { name, text, isError } = result;
    const open = this.#tools.findLast(
      (tool) => tool.result === undefined && (name === undefined || tool.name === name),
    );
    const call = callId === undefined ? open : this.#callsById.get(callId);
    if (call === undefined) this.addToolCall({ name: name ?? 'tool', result: text, isError });
    else {
      const more = shortened(text, this.#activity);
      if (more !== '' && this.#activity !== 'none') {
        call.result = call.result === undefined ? more : `${call.result}\n${more}`;
      }
      if (isError) call.isError = true;
    }
  }

  /** Counts a record that is left out on purpose. */
  countLeftOut(kind: string): void {
    this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
  }

  get leftOut(): Readonly<Record<string, number>> | undefined {
    return this.#leftOut.size === 0 ? undefined : Object.fromEntries(this.#leftOut);
  }

  /** All messages. Must be called only once, after the last record. */
  messages(): ImportedMessage[] {
    this.endTurn();
    return this.#drafts.map(({ message, tools, thinking }) => ({
      ...message,
      metadata: definedOrNothing({
        ...message.metadata,
        ...activityMetadata({ tools, thinking }, this.#activity),
      }),
    }));
  }

  /** Ends the turn, and returns the number of messages up to its end. */
  endTurn(): number {
    if (this.#tools.length === 0 && this.#thinking.length === 0) return this.#drafts.length;
    const last = this.#drafts.at(-1);
    if (last?.message.role === 'assistant') {
      last.tools.push(...this.#tools);
      last.thinking.push(...this.#thinking);
    } else if (this.#activity !== 'none') {
      const message: ImportedMessage = { ...this.#origin, role: 'assistant', content: '' };
      this.#drafts.push({ message, tools: this.#tools, thinking: this.#thinking });
    }
    this.#clearTurn();
    return this.#drafts.length;
  }

  #clearTurn(): void {
    this.#tools = [];
    this.#thinking = [];
    this.#origin = undefined;
  }
}
