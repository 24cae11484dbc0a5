/**
 * The SDK's server with one change: parameters that do not fit a method's schema are answered with
 * -32602 and a sentence. The SDK itself answers -32603 and prints the whole list of zod issues.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { RpcError } from './rpc-error.js';

/** A request schema of the SDK, as far as it is needed here. */
type RequestSchema = z.ZodObject<{ method: z.ZodLiteral<string> }>;

/** The longest sentence about wrong parameters, in characters. */
const MAX_SENTENCE = 300;

export class CheckedServer extends Server {
  override setRequestHandler(
    schema: Parameters<Server['setRequestHandler']>[0],
    handler: Parameters<Server['setRequestHandler']>[1],
  ): void {
    super.setRequestHandler(withSentence(schema as unknown as RequestSchema) as never, handler);
  }
}

/** A schema of the same method that throws an RpcError for a mismatch; the SDK passes it on. */
function withSentence(schema: RequestSchema): z.ZodType {
  return z.looseObject({ method: schema.shape.method }).superRefine((request) => {
    const parsed = schema.safeParse(request);
    if (parsed.success) return;
    throw new RpcError(ErrorCode.InvalidParams, sentenceOf(request.method, parsed.error));
  });
}

function sentenceOf(method: string, { issues }: z.ZodError): string {
  const [issue] = issues;
  const path = issue?.path.slice(1).map(String).join('.') ?? '';
  const subject = path === '' ? 'the parameters' : JSON.stringify(path);
  return `${method}: ${subject} cannot be used. ${issue?.message ?? ''}.`.slice(0, MAX_SENTENCE);
}
