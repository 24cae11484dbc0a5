/**
 * The SDK's server with one change: for invalid parameters of a method it answers -32602 with one
 * sentence. The SDK answers -32603 with all zod issues.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { RpcError } from './errors/rpc-error.js';

/** The part of the SDK's request schemas that is used here. */
type RequestSchema = z.ZodObject<{ method: z.ZodLiteral<string> }>;

/** Maximum length of the sentence, in characters. */
const MAX_SENTENCE = 300;

export class CheckedServer extends Server {
  override setRequestHandler(
    schema: Parameters<Server['setRequestHandler']>[0],
    handler: Parameters<Server['setRequestHandler']>[1],
  ): void {
    super.setRequestHandler(withSentence(schema as unknown as RequestSchema) as never, handler);
  }
}

/** A schema for the same method that throws RpcError for invalid parameters; the SDK sends that error. */
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
