/**
 * The graph as a picture. In each frame d3-force computes a part of the layout and a canvas draws it. The
 * user can drag and zoom it, and choose a node with a click. A table has the same facts as text.
 */
import { forceCenter, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
import { useEffect, useRef } from 'preact/hooks';
import { followPointer } from './follow-pointer.js';
import {
  type Edge,
  type Graph,
  type Link,
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
  onChoose(name: string): void;
}

/** From this number of nodes on, the layout ends sooner and the picture starts smaller. */
const LARGE_GRAPH_NODES = 400;
/** Theta of the Barnes–Hut approximation in a large graph: three times as fast as the 0.9 of d3. */
const LARGE_GRAPH_THETA = 1.5;
/** The layout pauses after a move of the picture, because one step of a large layout takes a frame. */
const PAUSE_MS = 200;
/** Alpha at the start of the layout, if most nodes already have a place. */
const KNOWN_GRAPH_ALPHA = 0.1;
/** Time for the layout in each frame, so that the page can react to input. */
const LAYOUT_MS = 8;

export function GraphCanvas({ facts, shown, chosen, onChoose }: GraphProps) {
  const place = useRef<HTMLCanvasElement>(null);
  const choose = useRef(onChoose);
  choose.current = onChoose;
  const places = useRef<Places>(new Map());
  const picture = useRef<Picture>();
  useEffect(() => {
    const canvas = place.current;
    if (canvas === null) return undefined;
    const graph = toGraph(facts, places.current);
    places.current = new Map(graph.nodes.map((node) => [node.name, node]));
    picture.current = drawGraph(canvas, graph, chosen, (name) => choose.current(name));
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

/** Draws from the first `show` until `end`. */
function drawGraph(
  canvas: HTMLCanvasElement,
  { nodes, links, isKnown }: Graph,
  chosen: string,
  onChoose: (name: string) => void,
): Picture | undefined {
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  const isLarge = nodes.length > LARGE_GRAPH_NODES;
  const charge = forceManyBody<Node>().strength(-60).distanceMax(400);
  if (isLarge) charge.theta(LARGE_GRAPH_THETA);
  const simulation = forceSimulation(nodes)
    .force('links', forceLink<Node, Link>(links).distance(46))
    .force('charge', charge)
    .force('center', forceCenter(0, 0))
    .force('x', forceX<Node>(0).strength(0.04))
    .force('y', forceY<Node>(0).strength(0.04))
    .alpha(isKnown ? KNOWN_GRAPH_ALPHA : 1)
    .alphaDecay(isLarge ? 0.06 : 0.0228)
    .stop();
  const view = { x: 0, y: 0, scale: isLarge ? 0.25 : 0.8 };
  const gone = new AbortController();
  const seen: Seen = { nodes: [], links: [] };
  let frame = 0;
  let hasBeenMoved = false;
  let movedAt = Number.NEGATIVE_INFINITY;
  const draw = () => {
    const until = performance.now() + LAYOUT_MS;
    let isMoving = simulation.alpha() > simulation.alphaMin();
    const isResting = performance.now() - movedAt > PAUSE_MS;
    while (isMoving && isResting && performance.now() < until) {
      simulation.tick();
      isMoving = simulation.alpha() > simulation.alphaMin();
    }
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
