/** The line that shows the progress of long work. */
import type { WriteStream } from 'node:tty';
import { expect, it } from 'vitest';
import { progressBar } from '../../src/cli/terminal/progress-bar.js';

/** What the bar writes for one report to a terminal. */
function shown(report: Parameters<ReturnType<typeof progressBar>['show']>[0]): string {
  let written = '';
  const write = (text: string) => {
    written += text;
    return true;
  };
  progressBar({ isTTY: true, columns: 80, write } as unknown as WriteStream).show(report);
  return written.replace('\r\u001b[K', '');
}

it('a progress bar uses singular and plural, with and without words after the noun', () => {
  expect(shown({ progress: 1, unit: 'conversation' })).toBe('1 conversation');
  expect(shown({ progress: 2, unit: 'conversation', message: 'read' })).toBe(
    '2 conversations read',
  );
  expect(shown({ progress: 3, message: 'passages' })).toBe('3 passages');
  expect(shown({ progress: 1, total: 2, message: 'passages' })).toMatch(/ 1 of 2 passages$/);
});
