/** What a child process of test/support/child.ts uses to read and write JSON lines. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

export function task<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** Writes synchronously, so the message arrives even if the process is killed a moment later. */
export function say(message: unknown): void {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`);
  while (rest.byteLength > 0) rest = rest.subarray(writeSome(rest));
}

/** The number of bytes written. It is 0 while the pipe is full because the parent has not read yet. */
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
