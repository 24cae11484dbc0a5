/**
 * One line on stderr that shows the progress of long work; only on a terminal, and removed when the work is done.
 */
import type { WriteStream } from 'node:tty';
import { systemClock } from '../../base/clock.js';

export interface ProgressBar {
  show(report: { progress: number; total?: number; message?: string }): void;
  /** Removes the line. */
  clear(): void;
}

const WIDTH = 24;
/** Faster updates cannot be read. */
const EVERY_MS = 100;

export function progressBar(stream: WriteStream): ProgressBar {
  let lastAt = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show({ progress, total = 0, message = '' }) {
      const isDue = systemClock.monotonic() - lastAt >= EVERY_MS || progress === total;
      if (!stream.isTTY || !isDue) return;
      lastAt = systemClock.monotonic();
      isShown = true;
      stream.write(
        `\r\u001b[K${lineOf(progress, total, message)}`.slice(0, (stream.columns || 80) + 3),
      );
    },
    clear() {
      if (isShown) stream.write('\r\u001b[K');
      isShown = false;
    },
  };
}

function lineOf(progress: number, total: number, message: string): string {
  if (total <= 0) return `${progress} ${message}`.trim();
  const full = Math.min(WIDTH, Math.round((progress / total) * WIDTH));
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
  return `${bar} ${progress} of ${total} ${message}`.trimEnd();
}
