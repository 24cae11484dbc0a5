/**
 * A list of any length: only the rows on the screen are in the document. All rows have the same height.
 * Missing rows are requested with `onMissing`. The keys j and k move the focus, Enter opens a row.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from './hooks.js';
import { focusOpened, keepPlace, type Place, takeKeptPlace } from './navigation/kept-place.js';

const ROW_PX = 64;
/** Number of rows above and below the screen, so that scrolling shows no gap. */
const SPARE = 8;

export interface VirtualListProps<T> {
  readonly label: string;
  readonly total: number;
  readonly items: readonly T[];
  keyOf(item: T): string;
  hrefOf(item: T): string;
  row(item: T, before: T | undefined): ComponentChildren;
  /** Called when rows after `items` become visible. */
  onMissing(): void;
}

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { total, items, onMissing } = props;
  const list = useRef<HTMLDivElement>(null);
  const [visible, setVisible] = useState({ first: 0, last: 30 });
  const [at, setAt] = useState(-1);
  const hadFocus = useRef(false);
  const [kept] = useState(takeKeptPlace);
  useOpenedFocused(kept);
  const updateVisible = () => {
    const { scrollTop = 0, clientHeight = 800 } = list.current ?? {};
    hadFocus.current = list.current?.contains(document.activeElement) === true;
    const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - SPARE);
    setVisible({ first, last: Math.ceil((scrollTop + clientHeight) / ROW_PX) + SPARE });
  };
  useLayoutEffect(() => {
    if (list.current !== null) list.current.scrollTop = kept.top;
    updateVisible();
    addEventListener('resize', updateVisible);
    return () => removeEventListener('resize', updateVisible);
  }, []);
  useEffect(() => {
    if (visible.last >= items.length && items.length < total) onMissing();
  }, [visible.last, items.length, total, onMissing]);
  // The row with the focus has left the screen: without this, keys such as Home would do nothing.
  useLayoutEffect(() => {
    if (hadFocus.current && document.activeElement === document.body)
      list.current?.focus({ preventScroll: true });
  }, [visible]);
  const move = (step: number) => () => {
    const box = list.current;
    if (box === null) return;
    const isThere = at >= visible.first && at < visible.last;
    const wanted = isThere ? at + step : Math.ceil(box.scrollTop / ROW_PX);
    const next = Math.min(Math.max(wanted, 0), items.length - 1);
    setAt(next);
    scrollToRow(box, next);
    updateVisible();
  };
  useLayoutEffect(() => {
    list.current?.querySelector<HTMLElement>(`[data-at="${at}"]`)?.focus({ preventScroll: true });
  }, [at]);
  useKeys({ j: move(1), k: move(-1) });
  const shown = items.slice(visible.first, visible.last);
  return (
    <div
      ref={list}
      class="virtual"
      onScroll={updateVisible}
      tabIndex={0}
      role="region"
      aria-label={props.label}
    >
      {shown.length === 0 && total > 0 && <p class="loading">Loading…</p>}
      <div style={{ height: `${total * ROW_PX}px` }}>
        {shown.map((item, index) => {
          const position = visible.first + index;
          const href = props.hrefOf(item);
          return (
            <a
              key={props.keyOf(item)}
              class="row"
              data-at={position}
              href={href}
              style={{ transform: `translateY(${position * ROW_PX}px)` }}
              onFocus={() => setAt(position)}
              onClick={() => keepPlace({ top: list.current?.scrollTop ?? 0, limit: 0, href })}
            >
              {props.row(item, items[position - 1])}
            </a>
          );
        })}
      </div>
    </div>
  );
}

/** After Back the opened row has the focus again as soon as it is loaded, unless the user has moved the focus. */
function useOpenedFocused(kept: Place): void {
  const isBack = useRef(kept.href !== '');
  useLayoutEffect(() => {
    const isFree = document.activeElement?.matches('body, main') === true;
    isBack.current &&= isFree && !focusOpened(kept);
  });
}

function scrollToRow(box: HTMLElement, row: number): void {
  const top = row * ROW_PX;
  if (top < box.scrollTop) box.scrollTop = top;
  if (top + ROW_PX > box.scrollTop + box.clientHeight) {
    box.scrollTop = top + ROW_PX - box.clientHeight;
  }
}
