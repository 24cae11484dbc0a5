/**
 * What the tools of insights share: whose context a call is about, and how an insight is shown.
 */
import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { AppError } from '../base/errors.js';
import {
  findGitProject,
  findNamedProject,
  type NamedProject,
  PROJECT_FILE,
} from '../files/paths/git-project.js';
import { gitContextOf } from '../stores/insights/git-context.js';
import type { Insight, InsightStore } from '../stores/insights/insights.js';
import {
  GLOBAL_CONTEXT,
  INSIGHT_ID,
  normalContext,
  projectContextOf,
} from '../stores/insights/schema.js';
import { endOf } from './date-field.js';
import type { ToolCall } from './define-tool.js';
import { jsonObject } from './json-object.js';

export const contextField = z
  .string()
  .min(1)
  .describe(
    'Absolute path of the project, "git:host/owner/repository", "project:name" or "global" (default: the project of the working folder; required over HTTP).',
  )
  .exactOptional();
/** Checked like this, as a pattern in the schema costs a host fifty tokens a tool. */
export const idField = z
  .string()
  .toLowerCase()
  .refine((text) => INSIGHT_ID.test(text), 'Invalid UUID')
  .meta({ format: 'uuid', description: 'Id of the insight.' });
export const contentField = z.string().min(3).max(100_000);
export const tagsField = z.array(z.string().min(1).max(200)).max(100);
export const tagsFilter = z
  .array(z.string())
  .describe('Only insights with all of these tags.')
  .exactOptional();

/** Where a call reads and writes. */
export interface Contexts {
  /** What is saved goes here. */
  readonly context: string;
  /** Other contexts of the same project. */
  readonly alsoIn: readonly string[];
}

/**
 * The contexts that a call is about (decision 0023). A remote caller must name one, since the working
 * folder of this process is not theirs, and gets exactly that. Of a local path the git repository
 * around it counts; without one, the working folder takes the nearest folder above it that has
 * insights. VALIDATION_ERROR.
 */
export async function contextsOf(
  given: string | undefined,
  { isRemote }: ToolCall,
  store: InsightStore,
): Promise<Contexts> {
  if (isRemote || given !== undefined) {
    const context = requireContext(given, isRemote);
    const isPath = context !== GLOBAL_CONTEXT && !/^(git|project):/.test(context);
    if (isRemote || !isPath) return { context, alsoIn: [] };
    return (await ofProject(context, store)) ?? { context, alsoIn: [] };
  }
  const here = requireContext(process.cwd(), false);
  return (await ofProject(here, store)) ?? { context: await nearest(here, store), alsoIn: [] };
}

/**
 * Older insights were saved under paths in the project, whichever folder was worked in. The file with a
 * project's name counts only where git has no remote: so no clone can choose whose insights are read.
 */
async function ofProject(path: string, store: InsightStore): Promise<Contexts | undefined> {
  const found = await findGitProject(path);
  // A home folder under git holds everything, so it is no project of what is inside it.
  const project = found?.folder === homedir() && path !== homedir() ? undefined : found;
  const remote = project?.remote && gitContextOf(project.remote);
  const named = remote ? undefined : await findNamedProject(path, homedir());
  const place = named?.folder ?? project?.folder;
  if (place === undefined) return undefined;
  const folder = normalContext(place) ?? place;
  const context = named === undefined ? (remote ?? folder) : contextOfName(named);
  const known = [...(await store.contexts()).keys()];
  const isInside = (each: string) => each === folder || each.startsWith(`${folder}${sep}`);
  return { context, alsoIn: known.filter((each) => each !== context && isInside(each)) };
}

function contextOfName({ folder, name }: NamedProject): string {
  const context = projectContextOf(name);
  if (context !== undefined) return context;
  throw new AppError(
    'VALIDATION_ERROR',
    `${join(folder, PROJECT_FILE)} does not contain the name of a project.`,
    {
      hint: 'Write the name on the first line of the file: letters, digits, ".", "_" and "-", such as garden.',
    },
  );
}

/** The home folder holds everything, so its insights are of no project inside it. */
async function nearest(path: string, store: InsightStore): Promise<string> {
  const known = await store.contexts();
  const home = homedir();
  for (let at = path; at !== home && dirname(at) !== at; at = dirname(at)) {
    if (known.has(at)) return at;
  }
  return path;
}

function requireContext(given: string | undefined, isRemote: boolean): string {
  if (given === undefined) {
    throw new AppError('VALIDATION_ERROR', '`context` is required over HTTP.', {
      hint: 'Give the absolute path of the project, "git:host/owner/repository", or "global".',
      details: { field: 'context' },
    });
  }
  const context = normalContext(given) ?? (isRemote ? undefined : normalContext(fromHere(given)));
  if (context !== undefined) return context;
  throw new AppError(
    'VALIDATION_ERROR',
    '`context` must be the absolute path of a project, "git:host/owner/repository", or "global".',
    { details: { field: 'context' } },
  );
}

/** As a shell reads it: only a caller on this machine has a home and a working folder here. */
const fromHere = (path: string) => resolve(path.replace(/^~(?=$|[/\\])/, homedir()));

const MOST_CONTEXTS = 8;

/** Why a context is empty; a local caller also learns which contexts have insights. */
export async function whyEmpty(
  context: string,
  { isRemote }: ToolCall,
  store: InsightStore,
): Promise<string> {
  const nothing = `The context ${context} has no such insights.`;
  if (isRemote) return nothing;
  const known = [...(await store.contexts())].sort(([, a], [, b]) => b - a);
  const others = known.filter(([name]) => name !== context);
  if (others.length === 0) return `${nothing} No other context has insights.`;
  const named = others.slice(0, MOST_CONTEXTS).map(([name, count]) => `${name} (${count})`);
  return `${nothing} Contexts with insights: ${named.join(', ')}.`;
}

/** Epoch milliseconds of the last moment that is meant. VALIDATION_ERROR. */
export const expiryOf = (text: string): number => endOf('expires', text);

export const insightSchema = z.object({
  id: z.string(),
  content: z.string(),
  context: z.string(),
  tags: z.array(z.string()).exactOptional(),
  metadata: jsonObject('As it was saved.').exactOptional(),
  created_at: z.number().int().describe('Epoch milliseconds.'),
  updated_at: z.number().int(),
  expires_at: z
    .number()
    .int()
    .describe('The insight is expired from this time on.')
    .exactOptional(),
});

/** The store hands out read-only tags; the output schema wants an array of its own. */
export function toShown({ tags, ...insight }: Insight): z.output<typeof insightSchema> {
  return { ...insight, ...(tags && { tags: [...tags] }) };
}

export const listedSchema = insightSchema.extend({
  isCut: z
    .literal(true)
    .describe('True if the text is long and was cut; get_insight returns all of it.')
    .exactOptional(),
});

const LONGEST_CONTENT = 4_000;
const LONGEST_METADATA = 4_000;

/** In a list: one long insight must not fill the answer. */
export function toListed(insight: Insight): z.output<typeof listedSchema> {
  const { metadata, content, ...others } = toShown(insight);
  const isLong = content.length > LONGEST_CONTENT;
  const isWide = metadata !== undefined && JSON.stringify(metadata).length > LONGEST_METADATA;
  return {
    ...others,
    content: isLong ? `${content.slice(0, LONGEST_CONTENT).toWellFormed()}…` : content,
    ...(metadata === undefined || isWide ? {} : { metadata }),
    ...(isLong || isWide ? { isCut: true as const } : {}),
  };
}
