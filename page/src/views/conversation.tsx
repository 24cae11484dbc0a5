/** The view of one conversation: its head and its messages, which are loaded in pages. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.js';
import { Empty, Failure, shownNumber, titleOf } from '../components.jsx';
import { AskHere } from '../conversation/ask-here.jsx';
import { fencesOf } from '../conversation/code-fence.js';
import { FindInside } from '../conversation/find-inside.jsx';
import { FileLink, Head } from '../conversation/head.jsx';
import { MessageView } from '../conversation/message.jsx';
import { hasStart, type MessagePages, usePages } from '../conversation/pages.js';
import { Summary } from '../conversation/summary.jsx';
import { markWords } from '../conversation/word-marks.js';
import { useKeys, useTitle } from '../hooks.js';
import { address } from '../navigation/address.js';
import { hrefOf, type Route } from '../navigation/route.js';
import { call, isReadOnly } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';

export function ConversationView({ route }: { readonly route: Route }) {
  const seq = Number(route.params.get('seq'));
  const named = Number.isSafeInteger(seq) && seq > 0 ? seq : undefined;
  return <Loaded key={route.name} id={route.name} named={named} />;
}

function Loaded({ id, named }: { readonly id: string; readonly named: number | undefined }) {
  const head = useLoaded(id, (signal) =>
    call(
      'get_conversation',
      { conversationId: id, includeMessages: false, maxTokens: 25_000 },
      signal,
    ),
  );
  const pages = usePages(id, named);
  const [words, setWords] = useState<readonly string[]>([]);
  const refresh = () => {
    head.reload();
    pages.refresh();
  };
  useChanges('conversation', refresh, id);
  usePlaceInAddress(id);
  // Once shown, the form stays, so that a typed question and the cost of an answer are not lost.
  const wasAtEnd = useRef(false);
  wasAtEnd.current ||= pages.cursor === undefined;
  const failed = head.error ?? pages.error;
  const isMissing = failed?.code === 'CONVERSATION_NOT_FOUND';
  const title = head.data && titleOf(head.data);
  useTitle(isMissing || (failed && !head.data) ? VIEW : title);
  if (isMissing) return <Missing />;
  return (
    <article class="conversation">
      {failed && <Failure {...(!head.data && { view: VIEW })} error={failed} />}
      {failed?.code === 'CONVERSATION_CORRUPTED' && !head.data && !isReadOnly() && (
        <p class="actions">
          <FileLink id={id} />
        </p>
      )}
      {head.data && <Head head={head.data} isLoading={head.isLoading} onChanged={head.reload} />}
      {head.data && <Summary id={id} />}
      <FindInside id={id} at={named} onGo={(seq) => goTo(id, seq)} onWords={setWords} />
      <Messages pages={pages} named={named} words={words} total={head.data?.total} />
      {head.data && wasAtEnd.current && (
        <div hidden={pages.cursor !== undefined}>
          <AskHere head={head.data} onAnswer={refresh} />
        </div>
      )}
    </article>
  );
}

/** The heading and the title of the window if the title of the conversation is not known. */
const VIEW = 'Conversation';

function Missing() {
  return (
    <Empty view={VIEW} title="This conversation is not here">
      <p>
        Perhaps it is in the <a href={hrefOf('trash')}>trash</a>, or it was merged with another
        conversation. The <a href="#/">timeline</a> shows all conversations.
      </p>
    </Empty>
  );
}

/** Goes to a match without a new entry in the history. */
const goTo = (id: string, seq: number) =>
  address.replace(hrefOf('conversation', id, { seq: String(seq) }));

function Messages(props: {
  readonly pages: MessagePages;
  readonly named: number | undefined;
  readonly words: readonly string[];
  /** Number of all messages, when it is known. */
  readonly total: number | undefined;
}) {
  const { pages, named, words, total } = props;
  const { messages, cursor, error } = pages;
  const fences = useMemo(() => fencesOf(messages), [messages]);
  const list = useRef<HTMLOListElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const loadMore = useRef(pages.more);
  loadMore.current = pages.more;
  useEffect(() => {
    const watcher = new IntersectionObserver(
      // A busy browser reports several changes at once; the last one is the present state.
      (entries) => entries.at(-1)?.isIntersecting && loadMore.current(),
      { rootMargin: '600px' },
    );
    if (end.current && cursor !== undefined) watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [cursor, messages]);
  const isNamedThere = hasStart(messages, named);
  useEffect(() => {
    if (isNamedThere) document.getElementById(`m${named}`)?.scrollIntoView();
  }, [named, isNamedThere]);
  const [jump, setJump] = useState<{ readonly seq: number; readonly toQuestion?: boolean }>();
  // Where the loaded messages begin, a step back loads those before them.
  const stepBack = (toQuestion: boolean) => {
    const [first] = messages;
    if ((toQuestion ? stepToQuestion(-1) : step(-1)) || !first || !pages.hasEarlier) return;
    pages.earlier();
    setJump({ seq: first.offset ? first.seq : first.seq - 1, toQuestion });
  };
  useEffect(() => {
    const target = jump && document.getElementById(`m${jump.seq}`);
    if (!target) return;
    show(target);
    setJump(undefined);
    if (jump.toQuestion && !isQuestion(target)) stepBack(true);
  }, [jump, messages]);
  const jumpTo = (seq: number) => {
    pages.jump(seq);
    setJump({ seq });
  };
  useFocusAtStart(pages.hasEarlier);
  useEffect(() => markWords(list.current, words), [words, messages]);
  useKeys({
    j: () => step(1),
    k: () => stepBack(false),
    J: () => stepToQuestion(1),
    K: () => stepBack(true),
  });
  return (
    <>
      <Moves pages={pages} total={total} onJump={jumpTo} />
      <ol class="messages" ref={list}>
        {messages.map((message, at) => (
          <MessageView
            key={`${message.id}:${message.offset ?? 0}`}
            message={message}
            isNamed={message.seq === named}
            fence={fences[at]}
          />
        ))}
      </ol>
      <div ref={end} class="end">
        {error ? <TryAgain onClick={pages.retry} /> : cursor !== undefined && 'Loading…'}
      </div>
    </>
  );
}

/** Focuses the first message when the button to earlier ones is gone and had the focus. */
function useFocusAtStart(hasEarlier: boolean): void {
  const hadEarlier = useRef(false);
  useLayoutEffect(() => {
    if (hadEarlier.current && !hasEarlier && document.activeElement === document.body)
      document.querySelector<HTMLElement>('.message')?.focus({ preventScroll: true });
    hadEarlier.current = hasEarlier;
  }, [hasEarlier]);
}

/** Buttons to messages that are not loaded, and on paper a line about them. Nothing if all are loaded. */
function Moves(props: {
  readonly pages: MessagePages;
  readonly total: number | undefined;
  onJump(seq: number): void;
}) {
  const { pages, total, onJump } = props;
  const { messages, cursor, hasEarlier } = pages;
  const hasLater = messages.length > 0 && cursor !== undefined && total !== undefined;
  if (!hasEarlier && !hasLater) return null;
  return (
    <>
      <p class="actions">
        {hasEarlier && (
          <>
            <button type="button" onClick={() => onJump(1)}>
              First message
            </button>
            <button type="button" onClick={pages.earlier}>
              Earlier messages
            </button>
          </>
        )}
        {hasLater && (
          <button type="button" onClick={() => onJump(total)}>
            Newest message
          </button>
        )}
      </p>
      <p class="print-only">
        These are messages {shownNumber(messages[0]?.seq ?? 0)} to{' '}
        {shownNumber(messages.at(-1)?.seq ?? 0)} of {shownNumber(total ?? 0)}.{' '}
        <code>daybook export</code> writes all.
      </p>
    </>
  );
}

function TryAgain({ onClick }: { onClick(): void }) {
  return (
    <>
      The messages could not be loaded.{' '}
      <button type="button" onClick={onClick}>
        Try again
      </button>
    </>
  );
}

/**
 * Focuses the message after or before the focused message, otherwise the first one on the screen. Returns
 * false if there is none in the document.
 */
function step(by: 1 | -1): boolean {
  const { all, focused, seen } = onScreen();
  return show(all[focused >= 0 ? focused + by : seen]);
}

/** Focuses the next or previous message of the user. Returns false if there is none in the document. */
function stepToQuestion(by: 1 | -1): boolean {
  const { all, focused, seen } = onScreen();
  let at = focused >= 0 ? focused + by : by > 0 ? seen : seen - 1;
  for (let each = all[at]; each && !isQuestion(each); each = all[at]) at += by;
  return show(all[at]);
}

const isQuestion = (message: HTMLElement) => message.classList.contains('user');

/** The address names a message this long after the last scroll: a browser refuses frequent changes. */
const SETTLED_MS = 300;

/** Keeps the first message on the screen in the address, so that Back and a reload find it. */
function usePlaceInAddress(id: string): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = () => {
      const { all, seen } = onScreen();
      const seq = all[seen]?.id.slice(1) ?? ''; // empty for a later part of a long message
      if (seq !== '')
        address.setParams(hrefOf('conversation', id, { seq: seq === '1' ? '' : seq }));
    };
    const scrolled = () => {
      clearTimeout(timer);
      timer = setTimeout(keep, SETTLED_MS);
    };
    // In the frame of an assistant a part of the document scrolls, and its events do not bubble.
    addEventListener('scroll', scrolled, { capture: true });
    // The browser would restore its own place, in pixels, after the messages are shown.
    history.scrollRestoration = 'manual';
    return () => {
      history.scrollRestoration = 'auto';
      clearTimeout(timer);
      removeEventListener('scroll', scrolled, { capture: true });
    };
  }, [id]);
}

/** All messages in the document, the index of the focused one or -1, and of the first on the screen. */
function onScreen() {
  const all = [...document.querySelectorAll<HTMLElement>('.message')];
  const focused = all.indexOf(document.activeElement as HTMLElement);
  // A message that was scrolled into view has this distance from the top, below the bar of the search.
  const top = all[0] ? Number.parseFloat(getComputedStyle(all[0]).scrollMarginTop) : 0;
  const seen = all.findIndex((each) => each.getBoundingClientRect().bottom > top);
  return { all, focused, seen: Math.max(0, seen) };
}

function show(message: HTMLElement | undefined): boolean {
  message?.focus();
  message?.scrollIntoView({ block: 'start' });
  return message !== undefined;
}
