/** Shows the progress of long work in one line on stderr, only on a terminal. */

import type { WriteStream } from 'node:tty';
import { systemClock } from '../../base/clock.js';
import { countOf } from '../../base/text/display-text.js';

interface Progress {
  readonly progress: number;
  readonly total?: number;
  /** The counted thing in the singular, such as `file`; used if the total is unknown. */
  readonly unit?: string;
  readonly message?: string;
}

export interface ProgressBar {
  show(report: Progress): void;
  /** Removes the line. */
  clear(): void;
}

const WIDTH = 24;
/** Minimum time between two updates. */
const EVERY_MS = 100;

/** Runs `work` with a bar on stderr, and removes the bar at the end. */
export async function withProgressBar<T>(
  work: (show: ProgressBar['show']) => Promise<T>,
): Promise<T> {
  const bar = progressBar(process.stderr);
  return work(bar.show).finally(bar.clear);
}

export function progressBar(stream: WriteStream): ProgressBar {
  let lastAt = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(report) {
      const { progress, total = 0 } = report;
      const isDue = systemClock.monotonic() - lastAt >= EVERY_MS || progress === total;
      if (!stream.isTTY || !isDue) return;
      lastAt = systemClock.monotonic();
      isShown = true;
      stream.write(`\r\u001b[K${lineOf(report)}`.slice(0, (stream.columns || 80) + 3));
    },
    clear() {
      if (isShown) stream.write('\r\u001b[K');
      isShown = false;
    },
  };
}

function lineOf({ progress, total = 0, unit, message = '' }: Progress): string {
  if (total <= 0) {
    const count = unit === undefined ? String(progress) : countOf(progress, unit);
    return `${count} ${message}`.trim();
  }
  const full = Math.min(WIDTH, Math.round((progress / total) * WIDTH));
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
  return `${bar} ${progress} of ${total} ${message}`.trimEnd();
}
