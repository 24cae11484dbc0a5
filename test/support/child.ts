/**
 * A process of its own for a test: one of test/crash/children, spoken to in lines of JSON.
 * Nothing is left running: `stop` kills and waits, and the end of a test file kills the rest.
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
  /** What it wrote to stderr: an uncaught exception, mostly. */
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
    stdin.on('error', () => undefined); // it was killed while we wrote
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

  /** The next line it printed; `undefined` once it has ended and all was read. */
  nextLine(): Promise<string | undefined> {
    const line = this.#lines.shift();
    if (line !== undefined || this.#hasEnded) return Promise.resolve(line);
    return new Promise((resolvePromise) => this.#readers.push(resolvePromise));
  }

  /** The next line as JSON; an error with its stderr where it ended instead. */
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

  /** Resolves when it is gone and its output was read to the end. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  async stop(): Promise<void> {
    this.kill('SIGKILL');
    await this.ended();
  }

  /** True while SIGSTOP holds it. */
  isStopped(): boolean {
    if (this.#hasEnded) return false;
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  }
}
