/**
 * Starts one of test/crash/children as a process of its own. Test and process exchange lines of JSON. `stop`
 * kills the process and waits; the end of a test file kills all that are left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll } from 'vitest';

const CHILDREN = resolve(import.meta.dirname, '../dist');
const running = new Set<Child>();

afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

export class Child {
  readonly #process: ChildProcess;
  readonly #lines: string[] = [];
  readonly #readers: ((line: string | undefined) => void)[] = [];
  readonly #ended: Promise<unknown>;
  #hasEnded = false;
  /** Its output on stderr, mostly an uncaught exception. */
  stderr = '';

  constructor(name: string, task: unknown) {
    this.#process = spawn(
      process.execPath,
      [resolve(CHILDREN, `${name}.js`), JSON.stringify(task)],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    running.add(this);
    const { stdin, stdout, stderr } = this.#process;
    if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes');
    stdin.on('error', () => undefined); // it was killed during the write
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      const reader = this.#readers.shift();
      if (reader === undefined) this.#lines.push(line);
      else reader(line);
    });
    this.#ended = Promise.all([once(lines, 'close'), once(this.#process, 'exit')]).then(() => {
      this.#hasEnded = true;
      running.delete(this);
      for (const reader of this.#readers.splice(0)) reader(undefined);
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The next line that it printed; `undefined` if it has ended and no line is left. */
  nextLine(): Promise<string | undefined> {
    const line = this.#lines.shift();
    if (line !== undefined || this.#hasEnded) return Promise.resolve(line);
    return new Promise((resolvePromise) => this.#readers.push(resolvePromise));
  }

  /** The next line as JSON. If it has ended instead, throws an error with its stderr. */
  async next<T>(): Promise<T> {
    const line = await this.nextLine();
    if (line === undefined) throw new Error(`the child ended early: ${this.stderr}`);
    return JSON.parse(line) as T;
  }

  send(message: unknown): void {
    this.#process.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#hasEnded) this.#process.kill(signal);
  }

  /** Resolves when it has ended and all its output was read. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  async stop(): Promise<void> {
    this.kill('SIGKILL');
    await this.ended();
  }

  /** True while SIGSTOP stops it. */
  isStopped(): boolean {
    if (this.#hasEnded) return false;
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  }
}
