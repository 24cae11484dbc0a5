/**
 * The type of a tool: its entry in the catalogue and one function. A tool file uses schemas and the App,
 * never the MCP SDK. `server/` registers the tools that `tools/index.ts` lists, and only `server/`
 * changes a thrown error into a result.
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

/** First field of every output. The schema adds it, so a tool does not return it. */
export const success = z.literal(true).default(true);

/** Fields of inputs and outputs that may be absent. */
export const optionalText = (description: string) =>
  z.string().describe(description).exactOptional();
export const optionalInt = (description: string) => z.int().describe(description).exactOptional();
export const optionalFlag = (description: string) =>
  z.boolean().describe(description).exactOptional();

/** An input that is false by default. */
export const flag = (description: string) => z.boolean().describe(description).default(false);

/** The call that `run` answers: who called, how it is cancelled, and how progress is reported. */
export interface ToolCall {
  /** Aborted when the client cancels or the server ends. */
  readonly signal: AbortSignal;
  /**
   * True if the call came over the network. Then the working folder of this process is not that of the
   * caller, and a path from the caller must be inside the root.
   */
  readonly isRemote: boolean;
  /** Sends an MCP progress notification, if the client asked for progress. */
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

/** Reads only from the store. */
export const READS = hints(true, false, true, false);
/** Reads, and may call an internet service. */
export const READS_OUTSIDE = hints(true, false, true, true);
/** Adds something and changes nothing that exists; a second call adds it again. */
export const ADDS = hints(false, false, false, false);
/** As ADDS, and calls an internet service. */
export const ASKS_OUTSIDE = hints(false, false, false, true);
/** Replaces values; a second call with the same input changes nothing. */
export const CHANGES = hints(false, true, true, false);
/** Edits a text; a second call with the same input edits it again. */
export const EDITS = hints(false, true, false, false);
/** Removes something, or moves it to the trash. */
export const REMOVES = hints(false, true, false, false);

export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** Names in earlier designs; they can be called and are not listed. */
  readonly aliases?: readonly string[];
  readonly toolset: Toolset;
  /** Listed with every choice of toolsets. */
  readonly alwaysListed?: true;
  /** Listed only if a Perplexity key or a setting for it is set. It can be called in any case. */
  readonly needsPerplexity?: true;
  readonly title: string;
  /** One or two sentences: what it does, when to use it, what to call next. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  readonly annotations: ToolAnnotations;
  /** The view that shows the result to people, in clients with MCP Apps. */
  readonly view?: 'conversation' | 'graph' | 'figures';
  /** True if the result quotes stored or fetched text, which is data and never instructions. */
  readonly quotesText?: boolean;
  /** Its writes wait in memory while the store is unavailable; other writing tools are refused then. */
  readonly writesLater?: true;
  /**
   * Whether a call with this input is refused while the store is unavailable. Without this function, all calls are
   * refused if the tool is neither `readOnlyHint` nor `writesLater`.
   */
  needsStore?(input: z.output<I>): boolean;
  /** The result as text for the model. Without this function the text is compact JSON. */
  text?(result: z.output<O>): string;
  run(input: z.output<I>, app: App, call: ToolCall): Promise<z.input<O>>;
}

/**
 * The result as text, with its field `text` at the end. That field is not quoted as JSON: every escaped quote
 * and line break would cost a token more.
 */
export function factsThenText(result: { readonly success: true; readonly text?: string }): string {
  const { success: _, text, ...facts } = result;
  return text === undefined
    ? JSON.stringify(facts)
    : `${JSON.stringify(facts)}

${text}`;
}

/** The argument of `defineTool`: a tool whose schemas are functions. */
interface Definition<I extends z.ZodObject, O extends z.ZodObject>
  extends Omit<Tool<I, O>, 'input' | 'output'> {
  input(): I;
  output(): O;
}

/**
 * Defines a tool: `run` must accept the input schema and return the output schema. A schema is made at
 * its first use, because making the schemas of all tools takes longer than the rest of the start.
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
