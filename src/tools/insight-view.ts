/** What the tools of insights share: fields, the context of a call, and the shape of an insight. */

import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { countOf } from '../base/display-text.js';
import { AppError } from '../base/errors.js';
import {
  findGitProject,
  findNamedProject,
  type NamedProject,
  PROJECT_FILE,
} from '../files/paths/find-project.js';
import { isFolder } from '../files/paths/folders.js';
import { gitContextOf } from '../stores/insights/git-context.js';
import type { Insight, InsightStore } from '../stores/insights/insights.js';
import {
  GLOBAL_CONTEXT,
  INSIGHT_ID,
  normalContext,
  projectContextOf,
} from '../stores/insights/schema.js';
import { tagField } from './conversation-input.js';
import { endOf } from './date-field.js';
import type { ToolCall } from './define-tool.js';
import { jsonObject } from './json-object.js';

export const contextField = z
  .string()
  .min(1)
  .describe(
    'Project: absolute path, "git:host/owner/repository", "project:name" or "global" (default: that of the working folder; required over HTTP).',
  )
  .exactOptional();
/** `refine` checks the form, because a pattern in the schema would cost 50 tokens for each tool. */
export const idField = z
  .string()
  .toLowerCase()
  .refine((text) => INSIGHT_ID.test(text), 'Invalid UUID')
  .meta({ format: 'uuid', description: 'Id of the insight.' });
export const contentField = z.string().min(3).max(100_000);
export const tagsField = z.array(tagField).max(100);
export const tagsFilter = z
  .array(z.string())
  .describe('Only insights with all of these tags.')
  .exactOptional();

/** The contexts that a call reads and writes. */
export interface Contexts {
  /** The context of new insights. */
  readonly context: string;
  /** Other contexts of the same project, which are read too. */
  readonly alsoIn: readonly string[];
}

/**
 * Finds the contexts of a call (decision 0023). A remote caller must give a context, because the working
 * folder of this process is not the caller's, and exactly that context is used. A local path means its
 * git repository. The working folder outside a repository means the nearest folder above it that has
 * insights. Throws VALIDATION_ERROR.
 */
export async function contextsOf(
  given: string | undefined,
  { isRemote }: ToolCall,
  store: InsightStore,
): Promise<Contexts> {
  if (isRemote || given !== undefined) {
    const context = await requireContext(given, isRemote);
    const isPath = context !== GLOBAL_CONTEXT && !/^(git|project):/.test(context);
    if (isRemote || !isPath) return { context, alsoIn: [] };
    return (await contextsOfProject(context, store)) ?? { context, alsoIn: [] };
  }
  const here = await requireContext(process.cwd(), false);
  const project = await contextsOfProject(here, store);
  return project ?? { context: await nearestContext(here, store), alsoIn: [] };
}

/**
 * `alsoIn` has paths inside the project, because earlier versions saved insights under the working
 * folder. The file with the name of a project is used only without a git remote: otherwise a cloned
 * repository could choose the insights of another project.
 */
async function contextsOfProject(path: string, store: InsightStore): Promise<Contexts | undefined> {
  const found = await findGitProject(path);
  // A home folder in git contains all projects, so it is not the project of a folder inside it.
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

/** The search stops below the home folder, because that contains all projects. */
async function nearestContext(path: string, store: InsightStore): Promise<string> {
  const known = await store.contexts();
  const home = homedir();
  for (let at = path; at !== home && dirname(at) !== at; at = dirname(at)) {
    if (known.has(at)) return at;
  }
  return path;
}

async function requireContext(given: string | undefined, isRemote: boolean): Promise<string> {
  if (given === undefined) {
    throw new AppError('VALIDATION_ERROR', '`context` is required over HTTP.', {
      hint: 'Give the absolute path of the project, "git:host/owner/repository", "project:name", or "global".',
      details: { field: 'context' },
    });
  }
  const isGit = /^git:/i.test(given);
  const context = normalContext(given) ?? (isGit ? gitContextOf(given.slice(4).trim()) : undefined);
  if (context !== undefined) return context;
  if (!isRemote && !isGit && !/^project:/i.test(given)) {
    const path = expandPath(given);
    // Otherwise the name of a project would become a folder below the folder in which the server started.
    if (!/^~([/\\]|$)/.test(given) && !(await isFolder(path))) throw noFolder(given);
    return normalContext(path) ?? path;
  }
  throw new AppError(
    'VALIDATION_ERROR',
    '`context` must be the absolute path of a project, "git:host/owner/repository", "project:name", or "global".',
    { details: { field: 'context' } },
  );
}

function noFolder(given: string): AppError {
  const name = projectContextOf(given.trim());
  const example = name === undefined ? '"project:name"' : `"${name}"`;
  return new AppError('VALIDATION_ERROR', `There is no folder ${JSON.stringify(given)} here.`, {
    hint: `For a project with this name, give ${example}. For a folder, give its absolute path.`,
    details: { field: 'context' },
  });
}

/** Expands `~` and resolves a relative path, for local callers only. */
const expandPath = (path: string) => resolve(path.replace(/^~(?=$|[/\\])/, homedir()));

const MAX_CONTEXTS = 8;

/** Explains why a context is empty. For a local caller the text also has the contexts with insights. */
export async function explainEmptyContext(
  context: string,
  { isRemote }: ToolCall,
  store: InsightStore,
): Promise<string> {
  const damaged = store.damaged().length;
  const unread =
    damaged === 0
      ? ''
      : ` ${countOf(damaged, 'insight')} could not be read and may belong to it; see \`store_info\`.`;
  const nothing = `The context ${context} has no such insights.${unread}`;
  if (isRemote) return nothing;
  const known = [...(await store.contexts())].sort(([, a], [, b]) => b - a);
  const others = known.filter(([name]) => name !== context);
  if (others.length === 0) return `${nothing} No other context has insights.`;
  const named = others.slice(0, MAX_CONTEXTS).map(([name, count]) => `${name} (${count})`);
  return `${nothing} Contexts with insights: ${named.join(', ')}.`;
}

/** The last moment of `text`, in epoch milliseconds. Throws VALIDATION_ERROR. */
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

/** Copies the tags, because the store returns a read-only array and the output schema has a writable one. */
export function toShown({ tags, ...insight }: Insight): z.output<typeof insightSchema> {
  return { ...insight, ...(tags && { tags: [...tags] }) };
}

export const listedSchema = insightSchema.extend({
  isCut: z
    .literal(true)
    .describe('True if the text is long and was cut; get_insight returns all of it.')
    .exactOptional(),
});

const MAX_CONTENT_LENGTH = 4_000;
const MAX_METADATA_LENGTH = 4_000;

/** An insight as an item of a list, with limits so that one long insight does not fill the answer. */
export function toListed(insight: Insight): z.output<typeof listedSchema> {
  const { metadata, content, ...others } = toShown(insight);
  const isLong = content.length > MAX_CONTENT_LENGTH;
  const isLarge = metadata !== undefined && JSON.stringify(metadata).length > MAX_METADATA_LENGTH;
  return {
    ...others,
    content: isLong ? `${content.slice(0, MAX_CONTENT_LENGTH).toWellFormed()}…` : content,
    ...(metadata === undefined || isLarge ? {} : { metadata }),
    ...(isLong || isLarge ? { isCut: true as const } : {}),
  };
}
