/**
 * What a tool is: data for the catalogue, and one function. A tool file uses schemas and the App,
 * never the MCP SDK; `server/` registers whatever `tools/index.ts` lists and is the only place
 * that turns a thrown error into a result.
 */
import { z } from 'zod';
import type { App } from '../app.js';

export const TOOLSETS = [
  'perplexity',
  'conversations',
  'threads',
  'context',
  'memory_bank',
  'kg',
  'insights',
  'admin',
] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** First field of every output; filled in, so that no tool has to state it. */
export const success = z.literal(true).default(true);

/** What a running call can do besides returning. */
export interface ToolCall {
  /** Aborted when the client cancels or the server ends. */
  readonly signal: AbortSignal;
  /**
   * True where the call came over the network: the working folder of this process is not that of
   * the caller, and a path that it names must stay inside the root.
   */
  readonly isRemote: boolean;
  /** Sends an MCP progress notification when the client asked for them. */
  progress(report: { progress: number; total?: number; message?: string }): void;
}

export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

const hints = (
  readOnlyHint: boolean,
  destructiveHint: boolean,
  idempotentHint: boolean,
  openWorldHint: boolean,
): ToolAnnotations => ({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint });

/** Reads only what is stored here. */
export const READS = hints(true, false, true, false);
/** Reads, and may ask a service on the internet for its progress. */
export const READS_OUTSIDE = hints(true, false, true, true);
/** Puts something beside what is there; twice the call, twice the thing. */
export const ADDS = hints(false, false, false, false);
/** The same, with an answer from a service on the internet. */
export const ASKS_OUTSIDE = hints(false, false, false, true);
/** Puts a value in place of another; a second call changes nothing more. */
export const CHANGES = hints(false, true, true, false);
/** Takes something away from where it was. */
export const REMOVES = hints(false, true, false, false);

export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** Names that older designs used; callable, never listed. */
  readonly aliases?: readonly string[];
  readonly toolset: Toolset;
  /** Listed whatever toolsets are chosen. */
  readonly alwaysListed?: true;
  /** Listed only where a Perplexity key is set, or where a setting asks for it; callable all the same. */
  readonly needsPerplexity?: true;
  readonly title: string;
  /** What it does. When to use it. What to call next. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  readonly annotations: ToolAnnotations;
  /** The view that shows its result to people, where the client can show one (MCP Apps). */
  readonly view?: 'conversation' | 'graph' | 'figures';
  /** True where the result quotes stored or fetched text, which is data and never instructions. */
  readonly quotesText?: boolean;
  /** Its writes wait in memory while the store is away; other writing tools are refused then. */
  readonly writesLater?: true;
  /** The same facts as `run` returned, for reading; left out, compact JSON. */
  text?(result: z.output<O>): string;
  run(input: z.output<I>, app: App, call: ToolCall): Promise<z.input<O>>;
}

/** A tool as its file writes it: with functions that make its schemas. */
interface Definition<I extends z.ZodObject, O extends z.ZodObject>
  extends Omit<Tool<I, O>, 'input' | 'output'> {
  input(): I;
  output(): O;
}

/**
 * Holds the types of one tool together. A schema is made when it is first asked for: the schemas of all
 * tools together take longer than the rest of a start.
 */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(
  definition: Definition<I, O>,
): Tool<I, O> {
  const { input: makeInput, output: makeOutput, ...tool } = definition;
  let input: I | undefined;
  let output: O | undefined;
  return {
    ...tool,
    get input() {
      input ??= makeInput();
      return input;
    },
    get output() {
      output ??= makeOutput();
      return output;
    },
  };
}
