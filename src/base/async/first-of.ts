/** Reads only the first of several values, such as the first part of a file. */

/** `undefined` if there is none. */
export async function firstOf<Value>(values: AsyncIterable<Value>): Promise<Value | undefined> {
  for await (const value of values) return value;
  return undefined;
}
