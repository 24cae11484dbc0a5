/** A child's side of test/support/child.ts: JSON lines in and out. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

export function task<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** Written at once: a process that is killed a moment later has said it. */
export function say(message: unknown): void {
  writeSync(1, `${JSON.stringify(message)}\n`);
}

/** Ends when the parent closes the pipe. */
export async function* commands<T>(): AsyncGenerator<T> {
  for await (const line of createInterface({ input: process.stdin })) yield JSON.parse(line) as T;
}
