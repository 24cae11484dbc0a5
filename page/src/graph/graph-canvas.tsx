/**
 * The graph as a picture: in each frame a part of the layout (graph-layout.ts) is computed and drawn. The user can
 * drag and zoom it, and choose a node with a click. A table has the same facts as text.
 */
import { useEffect, useRef } from 'preact/hooks';
import { followPointer } from './follow-pointer.js';
import { isLargeGraph, layoutOf } from './graph-layout.js';
import {
  type Edge,
  type Graph,
  type Node,
  type Places,
  type Seen,
  seenOf,
  toGraph,
} from './graph-shape.js';
import { paint, type ViewPoint } from './paint-graph.js';

interface GraphProps {
  /** All facts of the layout, so that nodes do not move when `shown` changes. */
  readonly facts: readonly Edge[];
  /** The facts to draw. */
  readonly shown: readonly Edge[];
  readonly chosen: string;
  /** What the facts answer. After a change of the facts, a view that the user moved stays if this is the same. */
  readonly request: string;
  onChoose(name: string): void;
}

/** The layout pauses after a move of the picture, because one step of a large layout takes a frame. */
const PAUSE_MS = 200;

export function GraphCanvas({ facts, shown, chosen, request, onChoose }: GraphProps) {
  const place = useRef<HTMLCanvasElement>(null);
  const choose = useRef(onChoose);
  choose.current = onChoose;
  const places = useRef<Places>(new Map());
  const picture = useRef<Picture>();
  const moved = useRef<{ readonly request: string; readonly view: ViewPoint }>();
  useEffect(() => {
    const canvas = place.current;
    if (canvas === null) return undefined;
    const graph = toGraph(facts, places.current);
    places.current = new Map(graph.nodes.map((node) => [node.name, node]));
    if (moved.current?.request !== request) moved.current = undefined;
    picture.current = drawGraph(canvas, graph, {
      chosen,
      moved: moved.current?.view,
      onMoved: (view) => {
        moved.current = { request, view };
      },
      onChoose: (name) => choose.current(name),
    });
    return picture.current?.end;
  }, [facts, chosen]);
  useEffect(() => picture.current?.show(shown), [facts, shown, chosen]);
  return (
    <canvas
      ref={place}
      class="graph"
      role="img"
      aria-label={`A graph of ${shown.length} facts; the table below lists them.`}
    />
  );
}

const MAX_SCALE = 1.6;
const MARGIN = 40;
/** Width for the name of a node at the right edge. */
const NAME_WIDTH = 120;

/**
 * Moves and scales the view so that it contains all nodes, also those that are not drawn. Then the view does
 * not change when other facts are shown.
 */
function showAll(view: ViewPoint, nodes: readonly Node[], canvas: HTMLCanvasElement): void {
  let [left, right, top, bottom] = [0, 0, 0, 0];
  for (const { x = 0, y = 0 } of nodes) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  const { clientWidth, clientHeight } = canvas;
  const wide = Math.max(100, clientWidth - MARGIN - NAME_WIDTH) / Math.max(1, right - left);
  const high = Math.max(100, clientHeight - 2 * MARGIN) / Math.max(1, bottom - top);
  view.scale = Math.min(MAX_SCALE, wide, high);
  view.x = (MARGIN - NAME_WIDTH) / 2 - ((left + right) / 2) * view.scale;
  view.y = -((top + bottom) / 2) * view.scale;
}

interface Picture {
  /** Draws only these facts. */
  show(facts: readonly Edge[]): void;
  end(): void;
}

interface Use {
  readonly chosen: string;
  /** The view as the user moved it before. */
  readonly moved: ViewPoint | undefined;
  onMoved(view: ViewPoint): void;
  onChoose(name: string): void;
}

/** Draws from the first `show` until `end`. */
function drawGraph(
  canvas: HTMLCanvasElement,
  { nodes, links, isKnown }: Graph,
  { chosen, moved: movedBefore, onMoved, onChoose }: Use,
): Picture | undefined {
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  const layout = layoutOf({ nodes, links, isKnown });
  const view = movedBefore ?? { x: 0, y: 0, scale: isLargeGraph(nodes) ? 0.25 : 0.8 };
  const gone = new AbortController();
  const seen: Seen = { nodes: [], links: [] };
  let frame = 0;
  let hasBeenMoved = movedBefore !== undefined;
  let movedAt = Number.NEGATIVE_INFINITY;
  const draw = () => {
    const isResting = performance.now() - movedAt > PAUSE_MS;
    const isMoving = isResting ? layout.step() : layout.isMoving();
    if (!hasBeenMoved) showAll(view, nodes, canvas);
    paint(context, canvas, { ...seen, chosen, view });
    frame = isMoving ? requestAnimationFrame(draw) : 0;
  };
  const redraw = () => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const moved = () => {
    movedAt = performance.now();
    redraw();
  };
  const movedByHand = () => {
    hasBeenMoved = true;
    onMoved(view);
    moved();
  };
  followPointer(canvas, { view, seen, redraw: movedByHand, onChoose, signal: gone.signal });
  const sizes = new ResizeObserver(redraw);
  sizes.observe(canvas);
  const themes = new MutationObserver(redraw);
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const { signal } = gone;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw, { signal });
  return {
    show(facts) {
      Object.assign(seen, seenOf({ nodes, links }, facts));
      moved();
    },
    end() {
      gone.abort();
      sizes.disconnect();
      themes.disconnect();
      cancelAnimationFrame(frame);
    },
  };
}
