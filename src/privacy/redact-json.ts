/**
 * Redacts the texts in a JSON document. The rest of the file stays as it is: its form, numbers, the names and
 * fixed values of Daybook's fields, times and ids. Otherwise a text such as `content`, `user` or `2025` would
 * damage the file. A name that the user chose, such as a key in `metadata`, is a text. If two names of one object
 * become equal, the second one gets a number, because a reader of JSON keeps only one of two equal names.
 */
import { CLIENT_ID, CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import { normalContext } from '../stores/insights/schema.js';

/** The names of fields (docs/FORMAT.md). */
const FIELDS = new Set(
  `activeConversation alsoMarked answer at backend branchOf bySize cacheReadTokens cacheWriteTokens
  cachedInputTokens citationTokens clientId content context contextWindow conversation conversationId conversations
  cost count createdAt created_at currency date daybook deleted endMessageId entityType expires_at exportedAt file files
  first format formatVersion from generatedAt generation hash head heading id incomplete input inputTokens isError
  isRemnant kept kind lastStatus lastUpdated line mergedFrom message messageCount messageId messages metadata model
  module moved movedBytes name names notes object observations olderThanDays origin outputTokens parent
  parentMessageId pinned preamble predicate provider providers qualityScore query raw reason reasoningTokens
  relatedQuestions relationType removed removedBytes replaced responseId restoredFrom result role rules runId said
  sealed searchQueries seq sha256 showThinking sizeBytes skipped snippet source sourceHash sources startMessageId
  startedAt startsConversation state stored subject summaries summaries.json tag tags text thinking thread threadId
  times tools title titleFrom to tokenCount total totalTokens trashName ts type updatedAt updated_at url usage
  validTo values valuesUpdatedAt version brief standard detailed`.split(/\s+/),
);
/** Fields with names and values of the user. */
const FREE = new Set(['metadata', 'values', 'valuesUpdatedAt']);
/** Values that Daybook itself writes into a field. */
const FIXED: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    backend: /^(agent|chat-completions)$/,
    context: /^global$/,
    format: /^daybook-/,
    hash: /^[0-9a-f]{16}$/,
    head: /^[0-9a-f]{16}$/,
    provider: /^extractive$/,
    role: /^(system|user|assistant)$/,
    runId: /^[\w-]+$/,
    said: /^[0-9a-f]{16}$/,
    state: /^(creating|running|unknown|failed)$/,
    times: /^file$/,
    type: /^(entity|relation)$/,
  }),
);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;
const SHA256 = /^[0-9a-f]{64}$/;
const NO_NAME = /[^A-Za-z0-9._-]/g;

interface Redact {
  /** Replaces the text in a text without escapes. */
  in(text: string): string;
  /** Whether this is exactly the text. */
  is(text: string): boolean;
}

/** `json`: the text of an object or array. */
export function redactedJson(json: string, redact: Redact): string {
  return new JsonRedaction(json, redact).run();
}

class JsonRedaction {
  readonly #json: string;
  readonly #redact: Redact;
  /** The last key in each open object; empty in an array. */
  readonly #keys: string[] = [];
  /** The names in each open object so far. */
  readonly #names: Set<string>[] = [];
  /** Those of them that were redacted. */
  readonly #redactedNames: Set<string>[] = [];
  #result = '';
  /** The part before this position is in the result. */
  #done = 0;

  constructor(json: string, redact: Redact) {
    this.#json = json;
    this.#redact = redact;
  }

  run(): string {
    const json = this.#json;
    for (let at = 0; at < json.length; at += 1) {
      const sign = json[at] ?? '';
      if (sign === '{' || sign === '[') this.#open();
      else if (sign === '}' || sign === ']') this.#close();
      else if (sign === '"') at = this.#string(at) - 1;
      else if (sign === '-' || (sign >= '0' && sign <= '9')) at = this.#number(at) - 1;
    }
    return this.#result + json.slice(this.#done);
  }

  #open(): void {
    this.#keys.push('');
    this.#names.push(new Set());
    this.#redactedNames.push(new Set());
  }

  #close(): void {
    this.#keys.pop();
    this.#names.pop();
    this.#redactedNames.pop();
  }

  #string(start: number): number {
    const end = endOfString(this.#json, start);
    const raw = this.#json.slice(start, end);
    const value = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    const isKey = /^\s*:/.test(this.#json.slice(end, end + 40));
    if (isKey) this.#keys[this.#keys.length - 1] = value;
    const isFixed = isKey ? FIELDS.has(value) : this.#isFixed(value);
    const text = isFixed ? value : this.#redact.in(value);
    const redacted = isKey ? this.#freeName(value, text, isFixed) : text;
    if (redacted !== value) this.#put(start, end, isKey ? redacted : this.#valid(redacted));
    return end;
  }

  /** The redacted name, with a number if another name of the object is equal to it because of the redaction. */
  #freeName(value: string, redacted: string, isFixed: boolean): string {
    const [names, made] = [this.#names.at(-1), this.#redactedNames.at(-1)];
    const isTaken = (name: string) =>
      name === value ? made?.has(name) : names?.has(name) || FIELDS.has(name);
    let free = redacted;
    for (let number = 2; !isFixed && isTaken(free); number += 1) free = `${redacted} ${number}`;
    names?.add(free);
    if (free !== value) made?.add(free);
    return free;
  }

  /** A part of a number cannot be replaced. */
  #number(start: number): number {
    let end = start + 1;
    while (/[\d.eE+-]/.test(this.#json[end] ?? '')) end += 1;
    const digits = this.#json.slice(start, end);
    const isData = this.#isFree && !this.#keys.includes('usage') && !this.#keys.includes('cost');
    if (isData && this.#redact.is(digits)) this.#put(start, end, this.#redact.in(digits));
    return end;
  }

  #put(start: number, end: number, value: string): void {
    this.#result += this.#json.slice(this.#done, start) + JSON.stringify(value);
    this.#done = end;
  }

  /**
   * Whether we are in fields of the user, and not in those in which an import describes its source, also that of
   * a conversation that was merged.
   */
  get #isFree(): boolean {
    const above = this.#keys.slice(0, -1);
    // `mergedFrom` is a list, so an empty key is between it and the source.
    const isOfImport = (at: number) =>
      (above[at + 1] === 'mergedFrom' ? above[at + 3] : above[at + 1]) === 'source';
    return above.some((key, at) => FREE.has(key) && !isOfImport(at));
  }

  /** The key of the value, also in a list. */
  get #key(): string {
    return this.#keys.findLast((key) => key !== '') ?? '';
  }

  #isFixed(value: string): boolean {
    if ([UUID, CONVERSATION_ID, TIME, SHA256].some((form) => form.test(value))) {
      return !(this.#isFree && this.#redact.is(value));
    }
    if (this.#isFree) return false;
    return this.#key === 'kind' || FIXED.get(this.#key)?.test(value) === true;
  }

  /** A value that its field can have. */
  #valid(value: string): string {
    if (this.#isFree) return value;
    const key = this.#key;
    if (key === 'clientId' || key === 'activeConversation') {
      const plain = value.replace(NO_NAME, '').slice(0, 128);
      return CLIENT_ID.test(plain) ? plain : 'redacted';
    }
    if (key !== 'context' || normalContext(value) !== undefined) return value;
    return value.replace(/[[\]]/g, '');
  }
}

/** Returns the position after the closing quote. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = json.indexOf('"', at);
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}
