/**
 * From a row of records to messages: what people and assistants said becomes messages, and what
 * machines did in between goes into the metadata of the assistant's next message of the same turn, of
 * its last one where there is no next, or of an empty one where it said nothing.
 */
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import type { Activity, ImportedMessage } from '../source.js';
import { activityMetadata, kept, keptCall, type ToolCall } from './activity.js';
import { definedOrNothing } from './fields.js';

interface Said extends Omit<ImportedMessage, 'metadata'> {
  readonly metadata?: JsonObject | undefined;
}

interface Draft {
  message: Said;
  tools: ToolCall[];
  thinking: string[];
}

/** Where in the source an activity was, for a turn in which nothing was said. */
type Origin = Pick<ImportedMessage, 'id' | 'createdAt'>;

export class Turns {
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

  /** A message that has nothing to say and nothing attached is left out. */
  say(message: Said): void {
    if (message.content.trim() === '' && message.role !== 'assistant') return;
    if (message.role === 'assistant') {
      if (message.content.trim() === '') return;
      this.#drafts.push({ message, tools: this.#tools, thinking: this.#thinking });
      this.#forget();
      return;
    }
    this.#endTurn();
    this.#drafts.push({ message, tools: [], thinking: [] });
  }

  think(text: string | undefined, origin: Origin = {}): void {
    if (text === undefined || text.trim() === '') return;
    this.#thinking.push(text);
    this.#origin ??= origin;
  }

  /** `callId` is what a later result names. */
  call(tool: ToolCall, origin: Origin = {}, callId?: string): void {
    const call = keptCall(tool, this.#activity);
    this.#tools.push(call);
    this.#origin ??= origin;
    if (callId !== undefined) this.#callsById.set(callId, call);
  }

  /** The result of a call made before; a result without a call counts as a call of its own. */
  result(result: { name?: string | undefined; text: string; isError?: boolean }, callId?: string) {
    const { name, text, isError } = result;
    const open = this.#tools.findLast(
      (tool) => tool.result === undefined && (name === undefined || tool.name === name),
    );
    const call = callId === undefined ? open : this.#callsById.get(callId);
    if (call === undefined) this.call({ name: name ?? 'tool', result: text, isError });
    else {
      const more = kept(text, this.#activity);
      if (more !== '' && this.#activity !== 'none') {
        call.result = call.result === undefined ? more : `${call.result}\n${more}`;
      }
      if (isError) call.isError = true;
    }
  }

  /** Something that is not brought in on purpose. */
  leaveOut(kind: string): void {
    this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
  }

  get leftOut(): Readonly<Record<string, number>> | undefined {
    return this.#leftOut.size === 0 ? undefined : Object.fromEntries(this.#leftOut);
  }

  /** To be called once, at the end. */
  messages(): ImportedMessage[] {
    this.#endTurn();
    return this.#drafts.map(({ message, tools, thinking }) => ({
      ...message,
      metadata: definedOrNothing({
        ...message.metadata,
        ...activityMetadata({ tools, thinking }, this.#activity),
      }),
    }));
  }

  #endTurn(): void {
    if (this.#tools.length === 0 && this.#thinking.length === 0) return;
    const last = this.#drafts.at(-1);
    if (last?.message.role === 'assistant') {
      last.tools.push(...this.#tools);
      last.thinking.push(...this.#thinking);
    } else if (this.#activity !== 'none') {
      const message: Said = { ...this.#origin, role: 'assistant', content: '' };
      this.#drafts.push({ message, tools: this.#tools, thinking: this.#thinking });
    }
    this.#forget();
  }

  #forget(): void {
    this.#tools = [];
    this.#thinking = [];
    this.#origin = undefined;
  }
}
