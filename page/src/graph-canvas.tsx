/**
 * The graph as a picture: forces of d3 lay it out a little in every frame, a canvas draws it. It can be
 * dragged and zoomed; a click chooses a node. The table beside it says the same in words.
 */
import { forceCenter, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
import { useEffect, useRef } from 'preact/hooks';

interface Node {
  readonly name: string;
  degree: number;
  x?: number;
  y?: number;
}
interface Link {
  source: Node;
  target: Node;
  readonly predicate: string;
}
interface Edge {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

interface GraphProps {
  readonly facts: readonly Edge[];
  readonly chosen: string;
  onChoose(name: string): void;
}

/** Beyond so many names nobody could read them; only large nodes keep theirs. */
const MOST_LABELS = 60;
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

export function GraphCanvas({ facts, chosen, onChoose }: GraphProps) {
  const place = useRef<HTMLCanvasElement>(null);
  const choose = useRef(onChoose);
  choose.current = onChoose;
  const places = useRef<Places>(new Map());
  useEffect(() => {
    const canvas = place.current;
    if (canvas === null) return undefined;
    const graph = toGraph(facts, places.current);
    places.current = new Map(graph.nodes.map((node) => [node.name, node]));
    return drawGraph(canvas, graph, chosen, (name) => choose.current(name));
  }, [facts, chosen]);
  return (
    <canvas
      ref={place}
      class="graph"
      role="img"
      aria-label={`A graph of ${facts.length} facts; the table below lists them.`}
    />
  );
}

/** Where nodes were in the picture before. */
type Places = ReadonlyMap<string, Pick<Node, 'x' | 'y'>>;

interface Graph {
  /** The nodes with the most facts first. */
  readonly nodes: Node[];
  readonly links: Link[];
  /** Whether most nodes were in the picture before. */
  readonly isKnown: boolean;
}

function toGraph(facts: readonly Edge[], places: Places): Graph {
  const nodes = new Map<string, Node>();
  const nodeOf = (name: string) => {
    const node = nodes.get(name) ?? { name, degree: 0, ...placeOf(places.get(name)) };
    node.degree += 1;
    nodes.set(name, node);
    return node;
  };
  const links = facts.map(({ subject, predicate, object }) => {
    return { source: nodeOf(subject), target: nodeOf(object), predicate };
  });
  const known = [...nodes.keys()].filter((name) => places.has(name)).length;
  return {
    nodes: [...nodes.values()].sort((a, b) => b.degree - a.degree),
    links,
    isKnown: known > nodes.size / 2,
  };
}

const placeOf = ({ x, y }: Pick<Node, 'x' | 'y'> = {}) =>
  x === undefined || y === undefined ? {} : { x, y };

/** Draws until the returned function is called. */
function drawGraph(
  canvas: HTMLCanvasElement,
  { nodes, links, isKnown }: Graph,
  chosen: string,
  onChoose: (name: string) => void,
): () => void {
  const context = canvas.getContext('2d');
  if (context === null) return () => undefined;
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
  let frame = 0;
  let movedAt = Number.NEGATIVE_INFINITY;
  const draw = () => {
    const until = performance.now() + LAYOUT_MS;
    let isMoving = simulation.alpha() > simulation.alphaMin();
    const isResting = performance.now() - movedAt > REST_MS;
    while (isMoving && isResting && performance.now() < until) {
      simulation.tick();
      isMoving = simulation.alpha() > simulation.alphaMin();
    }
    paint(context, canvas, { nodes, links, chosen, view });
    frame = isMoving ? requestAnimationFrame(draw) : 0;
  };
  const redraw = () => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const moved = () => {
    movedAt = performance.now();
    redraw();
  };
  followPointer(canvas, { view, nodes, redraw: moved, onChoose, signal: gone.signal });
  const sizes = new ResizeObserver(redraw);
  sizes.observe(canvas);
  const themes = new MutationObserver(redraw);
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const { signal } = gone;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw, { signal });
  redraw();
  return () => {
    gone.abort();
    sizes.disconnect();
    themes.disconnect();
    cancelAnimationFrame(frame);
  };
}

interface ViewPoint {
  x: number;
  y: number;
  scale: number;
}

function paint(
  context: CanvasRenderingContext2D,
  canvas: HTMLCanvasElement,
  graph: { nodes: Node[]; links: Link[]; chosen: string; view: ViewPoint },
): void {
  const { nodes, links, chosen, view } = graph;
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  context.translate(canvas.width / 2 + view.x * ratio, canvas.height / 2 + view.y * ratio);
  context.scale(view.scale * ratio, view.scale * ratio);
  context.strokeStyle = style.getPropertyValue('--line');
  context.lineWidth = 1 / view.scale;
  context.beginPath();
  for (const { source, target } of links) {
    context.moveTo(source.x ?? 0, source.y ?? 0);
    context.lineTo(target.x ?? 0, target.y ?? 0);
  }
  context.stroke();
  const accent = style.getPropertyValue('--accent');
  const text = style.getPropertyValue('--text');
  // One path for all of them: thousands of fills would take longer than a frame.
  context.fillStyle = accent;
  context.beginPath();
  for (const node of nodes) addCircle(context, node);
  context.fill();
  context.fillStyle = text;
  context.font = `${12 / view.scale}px system-ui, sans-serif`;
  for (const node of view.scale > 1.4 ? nodes : nodes.slice(0, MOST_LABELS)) {
    const { name, x = 0, y = 0 } = node;
    if (name === chosen) {
      context.beginPath();
      addCircle(context, node);
      context.fill();
    }
    context.fillText(name.slice(0, 30), x + radiusOf(node) + 2, y + 4 / view.scale);
  }
}

function addCircle(context: CanvasRenderingContext2D, node: Node): void {
  const { x = 0, y = 0 } = node;
  context.moveTo(x + radiusOf(node), y);
  context.arc(x, y, radiusOf(node), 0, 2 * Math.PI);
}

const radiusOf = ({ degree }: Node) => 3 + Math.min(9, Math.sqrt(degree));

function followPointer(
  canvas: HTMLCanvasElement,
  control: {
    view: ViewPoint;
    nodes: readonly Node[];
    redraw(): void;
    onChoose(name: string): void;
    signal: AbortSignal;
  },
): void {
  const { view, nodes, redraw, onChoose, signal } = control;
  let from: { x: number; y: number; moved: number } | undefined;
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      from = { x: event.clientX, y: event.clientY, moved: 0 };
      canvas.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      if (from === undefined) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      from = {
        x: event.clientX,
        y: event.clientY,
        moved: from.moved + Math.abs(dx) + Math.abs(dy),
      };
      view.x += dx;
      view.y += dy;
      redraw();
    },
    { signal },
  );
  canvas.addEventListener(
    'pointerup',
    (event) => {
      const isClick = from !== undefined && from.moved < 4;
      from = undefined;
      if (!isClick) return;
      const box = canvas.getBoundingClientRect();
      const x = (event.clientX - box.left - box.width / 2 - view.x) / view.scale;
      const y = (event.clientY - box.top - box.height / 2 - view.y) / view.scale;
      const hit = nodes.find((node) => Math.hypot((node.x ?? 0) - x, (node.y ?? 0) - y) < 12);
      if (hit !== undefined) onChoose(hit.name);
    },
    { signal },
  );
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      view.scale = Math.min(4, Math.max(0.05, view.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15)));
      redraw();
    },
    { signal, passive: false },
  );
}
