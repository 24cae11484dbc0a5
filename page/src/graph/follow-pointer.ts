/** Handles the pointer on the canvas: dragging, zooming and choosing a node. */
import type { Seen } from './graph-shape.js';
import type { ViewPoint } from './paint-graph.js';

export function followPointer(
  canvas: HTMLCanvasElement,
  control: {
    view: ViewPoint;
    seen: Seen;
    redraw(): void;
    onChoose(name: string): void;
    signal: AbortSignal;
  },
): void {
  const { view, seen, redraw, onChoose, signal } = control;
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
      const hit = seen.nodes.find((node) => Math.hypot((node.x ?? 0) - x, (node.y ?? 0) - y) < 12);
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
