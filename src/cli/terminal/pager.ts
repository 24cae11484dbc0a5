/**
 * Shows long text on a terminal with a pager: DAYBOOK_PAGER, otherwise PAGER, otherwise `less`. A text
 * that fits on the screen, and all output to a pipe, is printed directly.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pagerSettings } from '../../config/environment.js';
import { columnsOf, displayWidth } from './columns.js';
import { lendTerminal } from './interrupts.js';

/** `text` must be safe for a terminal. Resolves when the user has closed the pager. */
export async function showText(text: string): Promise<void> {
  const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const isShown = process.stdout.isTTY && !fits(whole) && (await page(whole));
  if (!isShown) process.stdout.write(whole);
}

function fits(text: string): boolean {
  const columns = columnsOf(process.stdout);
  const rows = process.stdout.rows || Number.POSITIVE_INFINITY;
  let used = 1; // the line of the shell prompt
  for (const line of text.split('\n').slice(0, -1)) {
    used += Math.max(1, Math.ceil(displayWidth(line) / columns));
    if (used > rows) return false;
  }
  return true;
}

/** Returns false if no pager is configured or it cannot be started. */
async function page(text: string): Promise<boolean> {
  const { command, env } = pagerSettings();
  if (command === undefined) return false;
  const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  pager.stdin.on('error', () => undefined); // the user closed the pager early
  pager.stdin.end(text);
  try {
    // `lendTerminal`, because less uses Ctrl-C to stop a search.
    const [code] = await lendTerminal(() => once(pager, 'close'));
    return code !== NOT_STARTED;
  } catch {
    return false; // there is no shell
  }
}

/** Exit status of a shell that cannot find the command. */
const NOT_STARTED = 127;
