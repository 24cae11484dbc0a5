/**
 * Loads the messages of a conversation in pages. Only a limited number of messages is in the document, so
 * that a conversation of any length can be read.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, call, type Output } from '../server/api.js';

export type StoredMessage = Output<'get_conversation_history'>['messages'][number];

const PAGE_SIZE = 40;
/** Number of messages to load before the message in the address, as context. */
const BEFORE = 4;
/** Maximum number of message parts in the document. The parts that are farthest away are removed. */
const MAX_PARTS = 200;

interface Pages {
  readonly messages: readonly StoredMessage[];
  readonly cursor: string | undefined;
}

type Work = (now: Pages) => Promise<Pages>;

export interface MessagePages {
  readonly messages: readonly StoredMessage[];
  readonly error: CallError | undefined;
  /** The cursor of the next page; absent at the end of the conversation. */
  readonly cursor: string | undefined;
  /** True if there are messages before the loaded ones. */
  readonly hasEarlier: boolean;
  more(): void;
  earlier(): void;
  /** Loads the message at this position, with those around it, unless it is loaded. */
  jump(seq: number): void;
  /** Loads the shown messages again, after a change of the file. */
  refresh(): void;
  /** Repeats the last read that failed. */
  retry(): void;
}

/** `named`: the position of a message that must be loaded. */
export function usePages(id: string, named: number | undefined): MessagePages {
  const [pages, setPages] = useState<Pages>({ messages: [], cursor: '1:0' });
  const [error, setError] = useState<CallError>();
  const latest = useRef(pages);
  const failed = useRef<Work>();
  const running = useRef(0);
  const isGoingBack = useRef(false);
  const queue = useRef(Promise.resolve());
  const run = (work: Work) => {
    running.current += 1;
    queue.current = queue.current.then(async () => {
      try {
        latest.current = await work(latest.current);
        setError(undefined);
      } catch (thrown) {
        failed.current = work;
        // A rejected queue would do no later work.
        setError(thrown instanceof CallError ? thrown : new CallError('UNKNOWN', String(thrown)));
      } finally {
        running.current -= 1;
      }
      setPages(latest.current);
    });
    return queue.current;
  };
  /** Waits for other reads. A second call does nothing until the first is done, as when a key is held down. */
  const earlier = () => {
    if (isGoingBack.current) return;
    isGoingBack.current = true;
    void run((now) => before(id, now)).finally(() => {
      isGoingBack.current = false;
    });
  };
  const reach = (seq: number | undefined) =>
    run((now) => (holds(now, seq) ? Promise.resolve(now) : begin(id, seq ?? 1)));
  useEffect(() => void reach(named), [id, named]);
  const { messages, cursor } = pages;
  const [first] = messages;
  return {
    messages,
    error,
    cursor,
    hasEarlier: first !== undefined && (first.seq > 1 || first.offset !== undefined),
    more: () => running.current === 0 && run((now) => after(id, now)),
    earlier,
    jump: reach,
    refresh: () => run((now) => again(id, now)),
    retry: () => failed.current && run(failed.current),
  };
}

const holds = ({ messages }: Pages, seq: number | undefined) =>
  messages.length > 0 && (seq === undefined || hasStart(messages, seq));

/** Whether the message at this position is there, and not only the last parts of it. */
export const hasStart = (messages: readonly StoredMessage[], seq: number | undefined): boolean =>
  messages.some((each) => each.seq === seq && !each.offset);

const read = (id: string, cursor: string, limit = PAGE_SIZE) =>
  call('get_conversation_history', {
    conversationId: id,
    includeSystemPrompt: true,
    limit,
    cursor,
  });

async function begin(id: string, seq: number): Promise<Pages> {
  const page = await read(id, `${Math.max(1, seq - BEFORE)}:0`);
  if (hasStart(page.messages, seq)) return { messages: page.messages, cursor: page.nextCursor };
  // The messages before it already fill a page.
  const exact = await read(id, `${seq}:0`);
  // The named message was removed, and none follows it.
  if (exact.messages.length === 0 && seq > 1) return begin(id, 1);
  return { messages: exact.messages, cursor: exact.nextCursor };
}

async function after(id: string, now: Pages): Promise<Pages> {
  if (now.cursor === undefined) return now;
  const page = await read(id, now.cursor);
  return {
    messages: [...now.messages, ...page.messages].slice(-MAX_PARTS),
    cursor: page.nextCursor,
  };
}

async function before(id: string, now: Pages): Promise<Pages> {
  const [first] = now.messages;
  if (first === undefined) return now;
  const found: StoredMessage[] = [];
  let cursor: string | undefined = `${Math.max(1, first.seq - PAGE_SIZE)}:0`;
  while (cursor !== undefined && isBefore(cursor, first)) {
    const page: Output<'get_conversation_history'> = await read(id, cursor);
    found.push(...page.messages.filter((each) => isBefore(placeOf(each), first)));
    found.splice(0, found.length - MAX_PARTS);
    cursor = page.nextCursor;
  }
  const all = [...found, ...now.messages];
  const next = all[MAX_PARTS];
  return {
    messages: all.slice(0, MAX_PARTS),
    cursor: next === undefined ? now.cursor : placeOf(next),
  };
}

async function again(id: string, now: Pages): Promise<Pages> {
  const shown: StoredMessage[] = [];
  // At the end of the conversation, messages that were added meanwhile are shown too.
  const isAtEnd = now.cursor === undefined;
  const until = Math.max(now.messages.length, PAGE_SIZE) + (isAtEnd ? PAGE_SIZE : 0);
  const [first] = now.messages;
  let cursor: string | undefined = first === undefined ? '1:0' : placeOf(first);
  while (cursor !== undefined && shown.length < until) {
    const page: Output<'get_conversation_history'> = await read(id, cursor);
    shown.push(...page.messages);
    cursor = page.nextCursor;
  }
  if (shown.length === 0 && first !== undefined) return begin(id, 1);
  return { messages: isAtEnd ? shown.slice(-MAX_PARTS) : shown, cursor };
}

const placeOf = ({ seq, offset = 0 }: StoredMessage) => `${seq}:${offset}`;

function isBefore(cursor: string, { seq, offset = 0 }: StoredMessage): boolean {
  const [at = 0, within = 0] = cursor.split(':').map(Number);
  return at < seq || (at === seq && within < offset);
}
