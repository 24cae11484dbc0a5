/**
 * A list of any length: only the rows on the screen are in the document. All rows have the same height.
 * Missing rows are requested with `onMissing`. The keys j and k move the focus, Enter opens a row.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from './hooks.js';

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
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ first: 0, last: 30 });
  const [at, setAt] = useState(-1);
  const look = () => {
    const { scrollTop = 0, clientHeight = 800 } = place.current ?? {};
    const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - SPARE);
    setView({ first, last: Math.ceil((scrollTop + clientHeight) / ROW_PX) + SPARE });
  };
  useLayoutEffect(() => {
    look();
    addEventListener('resize', look);
    return () => removeEventListener('resize', look);
  }, []);
  useEffect(() => {
    if (view.last >= items.length && items.length < total) onMissing();
  }, [view.last, items.length, total, onMissing]);
  const move = (step: number) => () => {
    const next = Math.min(Math.max(at + step, 0), items.length - 1);
    setAt(next);
    const list = place.current;
    if (list === null) return;
    const top = next * ROW_PX;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + ROW_PX > list.scrollTop + list.clientHeight) {
      list.scrollTop = top + ROW_PX - list.clientHeight;
    }
    look();
  };
  useLayoutEffect(() => {
    place.current?.querySelector<HTMLElement>(`[data-at="${at}"]`)?.focus({ preventScroll: true });
  }, [at]);
  useKeys({ j: move(1), k: move(-1) });
  const shown = items.slice(view.first, view.last);
  return (
    <div
      ref={place}
      class="virtual"
      onScroll={look}
      tabIndex={0}
      role="region"
      aria-label={props.label}
    >
      <div style={{ height: `${total * ROW_PX}px` }}>
        {shown.map((item, index) => {
          const position = view.first + index;
          return (
            <a
              key={props.keyOf(item)}
              class="row"
              data-at={position}
              href={props.hrefOf(item)}
              style={{ transform: `translateY(${position * ROW_PX}px)` }}
              onFocus={() => setAt(position)}
            >
              {props.row(item, items[position - 1])}
            </a>
          );
        })}
      </div>
    </div>
  );
}
