/**
 * The graph as a picture: forces of d3 lay it out a little in every frame, a canvas draws it. It can be
 * dragged and zoomed; a click chooses a node. The table beside it says the same in words.
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
  /** The layout has all of them, so that what is shown can change without anything moving. */
  readonly facts: readonly Edge[];
  /** Those that are drawn. */
  readonly shown: readonly Edge[];
  readonly chosen: string;
  onChoose(name: string): void;
}

/** From so many nodes on the layout comes to rest sooner, and begins farther away. */
const LARGE = 400;
/** How roughly the forces of far nodes are summed up in a large graph: three times as fast as d3's 0.9. */
const ROUGHNESS = 1.5;
/** The layout waits so long after the last move of the picture: a step of a large one takes a frame. */
const REST_MS = 200;
/** Where most nodes are in their places already, the others find theirs with so much motion. */
const LITTLE_MOTION = 0.1;
/** Of each frame, so that the page stays at hand. */
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

/** The picture is at most so much larger than the layout. */
const MOST_SCALE = 1.6;
const MARGIN = 40;
/** Beside the outermost nodes on the right. */
const ROOM_FOR_NAME = 120;

/** Moves and scales the view so that all nodes are in it, also those that are not drawn: then none moves as facts come and go. */
function showAll(view: ViewPoint, nodes: readonly Node[], canvas: HTMLCanvasElement): void {
  let [left, right, top, bottom] = [0, 0, 0, 0];
  for (const { x = 0, y = 0 } of nodes) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  const { clientWidth, clientHeight } = canvas;
  const wide = Math.max(100, clientWidth - MARGIN - ROOM_FOR_NAME) / Math.max(1, right - left);
  const high = Math.max(100, clientHeight - 2 * MARGIN) / Math.max(1, bottom - top);
  view.scale = Math.min(MOST_SCALE, wide, high);
  view.x = (MARGIN - ROOM_FOR_NAME) / 2 - ((left + right) / 2) * view.scale;
  view.y = -((top + bottom) / 2) * view.scale;
}

interface Picture {
  /** Only these facts are drawn from now on. */
  show(facts: readonly Edge[]): void;
  end(): void;
}

/** Draws until `end` is called; nothing before the first `show`. */
function drawGraph(
  canvas: HTMLCanvasElement,
  { nodes, links, isKnown }: Graph,
  chosen: string,
  onChoose: (name: string) => void,
): Picture | undefined {
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  const isLarge = nodes.length > LARGE;
  const charge = forceManyBody<Node>().strength(-60).distanceMax(400);
  if (isLarge) charge.theta(ROUGHNESS);
  const simulation = forceSimulation(nodes)
    .force('links', forceLink<Node, Link>(links).distance(46))
    .force('charge', charge)
    .force('center', forceCenter(0, 0))
    .force('x', forceX<Node>(0).strength(0.04))
    .force('y', forceY<Node>(0).strength(0.04))
    .alpha(isKnown ? LITTLE_MOTION : 1)
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
    const isResting = performance.now() - movedAt > REST_MS;
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
