/**
 * Handles the pointer on the canvas: dragging, zooming with the wheel or two fingers, and choosing a node. The
 * browser takes vertical moves of one finger, because otherwise a phone could not scroll past the graph.
 */
import type { Node, Seen } from './graph-shape.js';
import type { ViewPoint } from './paint-graph.js';

interface Control {
  readonly view: ViewPoint;
  readonly seen: Seen;
  redraw(): void;
  onChoose(name: string): void;
  readonly signal: AbortSignal;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** How near to a node a click or a tap must be, in pixels of the screen. */
const CLICK_PX = 12;
const TAP_PX = 22;
/** A longer move is not a click. */
const STILL_PX = 4;

export function followPointer(canvas: HTMLCanvasElement, control: Control): void {
  const { view, seen, redraw, onChoose, signal } = control;
  const pressed = new Map<number, Point>();
  let moved = 0;
  const down = (event: PointerEvent) => {
    moved = pressed.size === 0 ? 0 : STILL_PX;
    pressed.set(event.pointerId, placeOf(canvas, event));
    canvas.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const from = pressed.get(event.pointerId);
    if (from === undefined) return;
    const to = placeOf(canvas, event);
    const [other] = [...pressed].filter(([id]) => id !== event.pointerId);
    if (other === undefined) {
      view.x += to.x - from.x;
      view.y += to.y - from.y;
    } else {
      zoom(view, other[1], distance(to, other[1]) / Math.max(1, distance(from, other[1])));
    }
    moved += distance(from, to);
    pressed.set(event.pointerId, to);
    redraw();
  };
  const up = (event: PointerEvent) => {
    if (!pressed.delete(event.pointerId) || moved >= STILL_PX) return;
    const hit = nodeAt(seen, view, placeOf(canvas, event), event.pointerType);
    if (hit !== undefined) onChoose(hit.name);
  };
  // The browser has taken the pointer, for example to scroll.
  const cancel = (event: PointerEvent) => pressed.delete(event.pointerId);
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    zoom(view, placeOf(canvas, event), event.deltaY < 0 ? 1.15 : 1 / 1.15);
    redraw();
  };
  canvas.addEventListener('pointerdown', down, { signal });
  canvas.addEventListener('pointermove', move, { signal });
  canvas.addEventListener('pointerup', up, { signal });
  canvas.addEventListener('pointercancel', cancel, { signal });
  canvas.addEventListener('wheel', wheel, { signal, passive: false });
}

/** The place of the pointer, from the centre of the canvas. */
function placeOf(canvas: HTMLCanvasElement, event: MouseEvent): Point {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  return { x: event.clientX - left - width / 2, y: event.clientY - top - height / 2 };
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);

/** What is at this place stays there. */
function zoom(view: ViewPoint, at: Point, factor: number): void {
  const scale = Math.min(4, Math.max(0.05, view.scale * factor));
  view.x = at.x - ((at.x - view.x) * scale) / view.scale;
  view.y = at.y - ((at.y - view.y) * scale) / view.scale;
  view.scale = scale;
}

/** The nearest node, if the place is near enough. */
function nodeAt(seen: Seen, view: ViewPoint, at: Point, pointer: string): Node | undefined {
  let near = Math.max(CLICK_PX * view.scale, pointer === 'touch' ? TAP_PX : CLICK_PX);
  let nearest: Node | undefined;
  for (const node of seen.nodes) {
    const x = view.x + (node.x ?? 0) * view.scale;
    const y = view.y + (node.y ?? 0) * view.scale;
    const away = distance({ x, y }, at);
    if (away >= near) continue;
    near = away;
    nearest = node;
  }
  return nearest;
}
