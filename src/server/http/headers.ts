/** Reads single headers of a request. */
import type { IncomingMessage } from 'node:http';

/** `name` is in lower case. The values of a header that was sent several times are joined. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
