/**
 * What a tool is: data for the catalogue, and one function. A tool file knows schemas and the App,
 * never the MCP SDK; `server/` registers whatever `tools/index.ts` lists and is the only place
 * that turns a thrown error into a result.
 */
import { z } from 'zod';
import type { App } from '../app.js';

export const TOOLSETS = ['perplexity', 'conversations', 'threads', 'context', 'admin'] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** First field of every output; filled in, so that no tool has to state it. */
export const success = z.literal(true).default(true);

/** What a running call can do besides returning. */
export interface ToolCall {
  /** Aborted when the client cancels or the server ends. */
  readonly signal: AbortSignal;
  /** Sends an MCP progress notification when the client asked for them. */
  progress(report: { progress: number; total?: number; message?: string }): void;
}

export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** Names that older designs used; callable, never listed. */
  readonly aliases?: readonly string[];
  readonly toolset: Toolset;
  /** Listed whatever toolsets are chosen. */
  readonly alwaysListed?: true;
  readonly title: string;
  /** What it does. When to use it. What to call next. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  readonly annotations: ToolAnnotations;
  /** True where the result quotes stored or fetched text, which is data and never instructions. */
  readonly quotesText?: boolean;
  /** The same facts as `run` returned, for reading; left out, compact JSON. */
  text?(result: z.output<O>): string;
  run(input: z.output<I>, app: App, call: ToolCall): Promise<z.input<O>>;
}

/** Keeps the types of one tool together; holds at compile time what it can. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: Tool<I, O>,
): Tool<I, O> {
  return tool;
}
