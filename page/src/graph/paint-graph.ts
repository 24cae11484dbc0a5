/** Draws the selected part of the graph on the canvas. */
import type { Node, Seen } from './graph-shape.js';

/** More names cannot be read, so only the nodes with the most facts get a name. */
const MAX_LABELS = 60;

export interface ViewPoint {
  x: number;
  y: number;
  scale: number;
}

export function paint(
  context: CanvasRenderingContext2D,
  canvas: HTMLCanvasElement,
  graph: Seen & { readonly chosen: string; readonly view: ViewPoint },
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
  context.strokeStyle = style.getPropertyValue('--edge');
  context.lineWidth = 1 / view.scale;
  context.beginPath();
  for (const { source, target } of links) {
    context.moveTo(source.x ?? 0, source.y ?? 0);
    context.lineTo(target.x ?? 0, target.y ?? 0);
  }
  context.stroke();
  const accent = style.getPropertyValue('--accent');
  const text = style.getPropertyValue('--text');
  // One path for all nodes, because thousands of separate fills take longer than a frame.
  context.fillStyle = accent;
  context.beginPath();
  for (const node of nodes) addCircle(context, node);
  context.fill();
  context.fillStyle = text;
  context.font = `${12 / view.scale}px system-ui, sans-serif`;
  for (const node of view.scale > 1.4 ? nodes : nodes.slice(0, MAX_LABELS)) {
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

const radiusOf = ({ shown }: Node) => 3 + Math.min(9, Math.sqrt(shown));
