/**
 * Long output on a terminal goes through a pager: DAYBOOK_PAGER, else PAGER, else `less`. What fits on
 * the screen, and everything through a pipe, is printed directly.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pagerSettings } from '../../config/terminal-programs.js';
import { columnsOf, displayWidth } from './columns.js';
import { lendTerminal } from './interrupts.js';

/** `text` is safe for a terminal already. Resolves when the reader has closed the pager. */
export async function showText(text: string): Promise<void> {
  const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const isShown = process.stdout.isTTY && !fits(whole) && (await page(whole));
  if (!isShown) process.stdout.write(whole);
}

function fits(text: string): boolean {
  const columns = columnsOf(process.stdout);
  const rows = process.stdout.rows || Number.POSITIVE_INFINITY;
  let used = 1; // the prompt that comes after it
  for (const line of text.split('\n').slice(0, -1)) {
    used += Math.max(1, Math.ceil(displayWidth(line) / columns));
    if (used > rows) return false;
  }
  return true;
}

/** False where no pager is wanted or it cannot be started. */
async function page(text: string): Promise<boolean> {
  const { command, env } = pagerSettings();
  if (command === undefined) return false;
  const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  pager.stdin.on('error', () => undefined); // closed before it has read everything
  pager.stdin.end(text);
  try {
    // less stops a search at Ctrl-C
    const [code] = await lendTerminal(() => once(pager, 'close'));
    return code !== NOT_STARTED;
  } catch {
    return false; // there is no shell
  }
}

/** The shell found no such command. */
const NOT_STARTED = 127;
