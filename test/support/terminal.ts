/**
 * Runs the built command in a real pseudo-terminal (`script` of util-linux), to test what it does only on a
 * terminal: colours, rendered text, progress, questions.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { MAIN, type Place } from '../e2e/harness.js';

export interface TerminalRun {
  readonly code: number;
  /** The output on the terminal, stdout and stderr, with LF as line end. */
  readonly screen: string;
}

export interface TerminalOptions {
  readonly cwd?: string;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The input that is typed when `after` has appeared. */
  readonly answers?: readonly { readonly after: string; readonly type: string }[];
}

/** A command that waits for an answer that the test does not give is ended here. Its screen is returned. */
const LIMIT_MS = 180_000;

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

export const runInTerminal = (
  place: Place,
  args: readonly string[],
  options: TerminalOptions = {},
): Promise<TerminalRun> => runProgram(place, [process.execPath, MAIN, ...args], options);

/** The same for another program, such as a shell. */
export async function runProgram(
  place: Place,
  args: readonly string[],
  { cwd = place.folder, columns = 90, env = {}, answers = [] }: TerminalOptions = {},
): Promise<TerminalRun> {
  const command = args.map(quoted).join(' ');
  const child = spawn(
    'script',
    ['-qec', `stty cols ${columns} rows 30; exec ${command}`, '/dev/null'],
    {
      env: { TERM: 'xterm-256color', ...place.env, ...env },
      cwd,
    },
  );
  let screen = '';
  const waiting = [...answers];
  child.stdout.on('data', (chunk) => {
    screen += String(chunk);
    const [next] = waiting;
    if (next !== undefined && screen.includes(next.after)) {
      waiting.shift();
      child.stdin.write(next.type);
    }
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const [code] = await once(child, 'close');
  clearTimeout(limit);
  if (code === null) throw new Error(`${args.join(' ')} did not end; the screen: ${screen}`);
  return { code: code as number, screen: screen.replaceAll('\r\n', '\n') };
}

/** Whether a text has control characters that colour or move text on a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the function searches for them
export const hasEscapes = (text: string): boolean => /[\u001b\u009b]/.test(text);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the function searches for them
export const hasColours = (text: string): boolean => /\u001b\[[\d;]*m/.test(text);
