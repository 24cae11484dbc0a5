/** A child's side of test/support/child.ts: JSON lines in and out. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

export function task<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** Written at once: a process that is killed a moment later has said it. */
export function say(message: unknown): void {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`);
  while (rest.byteLength > 0) rest = rest.subarray(writeSome(rest));
}

/** Bytes written; 0 while the pipe is full because the parent has not read yet. */
function writeSome(bytes: Buffer): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    return 0;
  }
}

/** Ends when the parent closes the pipe. */
export async function* commands<T>(): AsyncGenerator<T> {
  for await (const line of createInterface({ input: process.stdin })) yield JSON.parse(line) as T;
}
