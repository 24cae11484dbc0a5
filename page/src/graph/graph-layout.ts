/** The places of the nodes, which d3-force computes in short steps. */
import { forceCenter, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
import type { Graph, Link, Node } from './graph-shape.js';

/** From this number of nodes on, the layout ends sooner and the picture starts smaller. */
const LARGE_GRAPH_NODES = 400;
/** Theta of the Barnes–Hut approximation in a large graph: three times as fast as the 0.9 of d3. */
const LARGE_GRAPH_THETA = 1.5;
/** Alpha at the start of the layout, if most nodes already have a place. */
const KNOWN_GRAPH_ALPHA = 0.1;
/** Time for the layout in each frame, so that the page can react to input. */
const LAYOUT_MS = 8;

interface GraphLayout {
  /** False when the layout has ended. */
  isMoving(): boolean;
  /** Moves the nodes for at most LAYOUT_MS. Returns `isMoving`. */
  step(): boolean;
}

export const isLargeGraph = (nodes: readonly Node[]) => nodes.length > LARGE_GRAPH_NODES;

export function layoutOf({ nodes, links, isKnown }: Graph): GraphLayout {
  const isLarge = isLargeGraph(nodes);
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
  const isMoving = () => simulation.alpha() > simulation.alphaMin();
  return {
    isMoving,
    step() {
      const until = performance.now() + LAYOUT_MS;
      while (isMoving() && performance.now() < until) simulation.tick();
      return isMoving();
    },
  };
}
