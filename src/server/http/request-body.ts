/** Reads the body of a request up to a limit, and parses it as JSON-RPC (`mcp/rpc-message.ts`). */
import type { IncomingMessage } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { parseMessages } from '../mcp/rpc-message.js';
import { HttpError } from './http-error.js';

/** One message, or the messages of a batch. Throws HttpError 413 or 415, or RpcError for no JSON-RPC. */
export async function readMessages(
  req: IncomingMessage,
  maxBytes: number,
): Promise<JSONRPCMessage | JSONRPCMessage[]> {
  return parseMessages(await readBytes(req, maxBytes));
}

/** Throws HttpError 413 or 415. */
export async function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity' } = req.headers;
  if (encoding !== 'identity') {
    throw new HttpError(
      415,
      'Compressed requests are not supported. Send the request without Content-Encoding.',
    );
  }
  const limit = `${maxBytes / 1024 / 1024} MB`;
  const tooLarge = `The request is larger than ${limit} (DAYBOOK_HTTP_MAX_BODY_MB).`;
  requireDeclaredAtMost(req, maxBytes, tooLarge);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // An async iterator, as in `limitedBody`, takes longer, and every call of a tool reads its body here.
  await new Promise<void>((resolve, reject) => {
    req.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength;
      if (size > maxBytes) reject(new HttpError(413, tooLarge));
      else chunks.push(chunk);
    });
    req.once('end', resolve).once('error', reject);
  });
  return Buffer.concat(chunks);
}

function requireDeclaredAtMost({ headers }: IncomingMessage, maxBytes: number, tooLarge: string) {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new HttpError(413, tooLarge);
}

/** The body of a request, chunk by chunk. Throws HttpError 413 with the message `tooLarge`. */
export async function* limitedBody(
  req: IncomingMessage,
  maxBytes: number,
  tooLarge: string,
): AsyncGenerator<Uint8Array> {
  requireDeclaredAtMost(req, maxBytes, tooLarge);
  let size = 0;
  // An error must not destroy the connection, because the answer with the error uses it.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new HttpError(413, tooLarge);
    yield chunk;
  }
}
