/**
 * Commands in a process that stays for the next one (reused-process.mjs), because a start takes ten times
 * the work of most commands. terminal.test.ts runs each command of Daybook in a process of its own too.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** What reused-process.mjs prints after a run, with the exit status. */
const MARK = /\0end (\d+)\0$/;
/** Node, or a module or library of the command, reads these only once. */
const READ_ONCE = /^(DBUS_|TZ|LANG|LC_|NODE_|UV_)/;

export const REUSED = [process.execPath, resolve(import.meta.dirname, 'reused-process.mjs')];

export interface Run {
  /** The main module of the command. */
  readonly main: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** On a terminal it has no effect. */
  readonly stdin?: string | Uint8Array;
}

export class ReusedProcess {
  readonly #command: readonly string[];
  readonly #options: SpawnOptions;
  /** With a terminal, all output is one stream. */
  readonly #streams: readonly ('stdout' | 'stderr')[];
  #child: ChildProcess | undefined;
  #printed = { stdout: '', stderr: '' };
  #end: ((code: number | null) => void) | undefined;

  constructor(command: readonly string[], isTerminal: boolean, options: SpawnOptions = {}) {
    this.#command = command;
    this.#options = { ...options, stdio: [isTerminal ? 'pipe' : 'ignore', 'pipe', 'pipe', 'ipc'] };
    this.#streams = isTerminal ? ['stdout'] : ['stdout', 'stderr'];
  }

  /** False during a run, and for what must be there when a process starts. */
  canRun({ env }: Run): boolean {
    return this.#end === undefined && !Object.keys(env).some((name) => READ_ONCE.test(name));
  }

  async run({ stdin = '', ...run }: Run) {
    this.#child ??= this.#start();
    this.#printed = { stdout: '', stderr: '' };
    const ended = new Promise<number | null>((resolvePromise) => {
      this.#end = resolvePromise;
    });
    this.#child.send({ ...run, stdin: Buffer.from(stdin).toString('base64') });
    const code = (await ended) as number;
    this.#end = undefined;
    const { stdout, stderr } = this.#printed;
    return { code, stdout: stdout.replace(MARK, ''), stderr: stderr.replace(MARK, '') };
  }

  #start(): ChildProcess {
    const [program = '', ...args] = this.#command;
    const child = spawn(program, args, this.#options);
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this.#printed[name] += text;
        const codes = this.#streams.map((each) => MARK.exec(this.#printed[each])?.[1]);
        if (!codes.includes(undefined)) this.#end?.(Number(codes[0]));
      });
    }
    child.once('close', (code) => {
      this.#child = undefined;
      this.#end?.(code);
    });
    child.unref();
    child.channel?.unref();
    return child;
  }
}
