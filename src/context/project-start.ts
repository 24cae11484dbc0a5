/**
 * What is stored about the project in a folder, for an assistant that begins to work there: insights, and
 * where the last session ended.
 */
import { homedir } from 'node:os';
import { basename } from 'node:path';
import { groupedBy } from '../base/arrays/grouped-by.js';
import { textIn } from '../base/json-fields.js';
import { countOf } from '../base/text/display-text.js';
import { endWithin, estimateTextTokens } from '../base/text/estimate-tokens.js';
import { escapeMessageStarts } from '../base/text/message-starts.js';
import { findGitProject } from '../files/paths/find-project.js';
import { isFolder } from '../files/paths/folders.js';
import { isInside } from '../files/paths/path-confinement.js';
import { resolveRealPath } from '../files/safe-access/real-path.js';
import type { SearchCaller } from '../search/messages/keyword-search.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { ConversationHead } from '../stores/conversations/document/schema.js';
import type { Insight, InsightStore } from '../stores/insights/insights.js';
import { contextsOf } from '../stores/insights/project-contexts.js';
import { GLOBAL_CONTEXT } from '../stores/insights/schema.js';
import { fitsModule } from '../stores/modules.js';
import { type SessionSources, type SessionStart, startSession } from './session-start.js';
import { sessionStartText, viewOf } from './session-start-view.js';

/** Maximum share of the budget for insights; the session gets the rest. */
const SHARE_OF_INSIGHTS = 0.4;
/** One long insight does not use the room of the others. */
const TOKENS_OF_INSIGHT = 200;
const THREADS = 3;

export interface ProjectStartRequest {
  /** Only conversations of this module. Default: the module that is named after the folder or its repository. */
  readonly module?: string | undefined;
  readonly maxTokens: number;
}

export interface ShownInsight extends Pick<Insight, 'id' | 'tags'> {
  readonly content: string;
  readonly isCut: boolean;
}

export interface ProjectStart {
  /** The module whose conversations were searched. */
  readonly module: string;
  /** `undefined` if no conversation of the module has a message. */
  readonly session: SessionStart | undefined;
  /** The context of the project's insights. */
  readonly context: string;
  /** The newest insights about the project and about all projects that fit. */
  readonly insights: readonly ShownInsight[];
  /** How many insights did not fit. */
  readonly moreInsights: number;
}

interface Sources extends SessionSources {
  readonly insights: InsightStore;
}

/** About the working folder. Throws what `startSession` and `contextsOf` throw. */
export async function startOfProject(
  sources: Sources,
  { module: given, maxTokens }: ProjectStartRequest,
  caller: SearchCaller = {},
): Promise<ProjectStart> {
  const { conversations, insights: store } = sources;
  const { context, alsoIn } = await contextsOf(undefined, { isRemote: false }, store);
  const found = await store.list({ context, alsoIn: [...alsoIn, GLOBAL_CONTEXT] });
  const insights = shownWithin(found, maxTokens * SHARE_OF_INSIGHTS);
  const spent = insights.reduce((sum, { content }) => sum + estimateTextTokens(content), 0);
  const { module, own, others } = await conversationsOf(given, conversations);
  // Without a conversation of the project, the search index need not be loaded.
  const request = { module, except: others, threads: THREADS, maxTokens: maxTokens - spent };
  const session = own.length > 0 ? await startSession(sources, request, caller) : undefined;
  return { module, session, context, insights, moreInsights: found.length - insights.length };
}

interface ProjectConversations {
  readonly module: string;
  readonly own: readonly ConversationHead[];
  /** Ids of conversations of the module that were held in another project. */
  readonly others: ReadonlySet<string>;
}

/**
 * The conversations of the working folder, or of the module that is given. Imports name the module after the
 * folder of the session; in a folder below, or in a worktree, it can also be named after the repository.
 * Projects in folders of the same name share a module, so conversations that were held elsewhere are left out.
 */
export async function conversationsOf(
  given: string | undefined,
  store: ConversationStore,
): Promise<ProjectConversations> {
  const heads = await store.list();
  const ofModule = (name: string) => heads.filter(({ module }) => fitsModule(module, name));
  if (given !== undefined) return { module: given, own: ofModule(given), others: new Set() };
  const folder = process.cwd();
  const found = await findGitProject(folder);
  const project = found === undefined || found.folder === homedir() ? folder : found.folder;
  const main = found?.main === homedir() ? project : (found?.main ?? project);
  for (const name of new Set([folder, project, main].map((path) => basename(path)))) {
    const held = groupedBy(ofModule(name), ({ metadata }) => textIn(metadata?.['cwd']));
    const own: ConversationHead[] = [];
    const others = new Set<string>();
    for (const [place, all] of held) {
      if (place === undefined || (await isPartOf({ project, main }, place))) own.push(...all);
      else for (const { conversationId } of all) others.add(conversationId);
    }
    if (own.length > 0) return { module: name, own, others };
  }
  return { module: basename(folder), own: [], others: new Set() };
}

interface Trees {
  readonly project: string;
  /** The main working tree of the repository: `project`, or another folder if that is a worktree. */
  readonly main: string;
}

/** Also true for a folder that does not exist any more: it may have been moved. */
async function isPartOf({ project, main }: Trees, folder: string): Promise<boolean> {
  const place = resolveRealPath(folder);
  if (isInside(place, project) || isInside(place, main)) return true;
  return !(await isFolder(folder)) || (await findGitProject(folder))?.main === main;
}

function shownWithin(insights: readonly Insight[], maxTokens: number): ShownInsight[] {
  const shown: ShownInsight[] = [];
  let room = maxTokens;
  for (const { id, content, tags } of insights) {
    const end = endWithin(content, 0, TOKENS_OF_INSIGHT);
    const text = content.slice(0, end);
    room -= estimateTextTokens(text);
    if (room < 0) break;
    shown.push({ id, content: text, isCut: end < content.length, ...(tags && { tags }) });
  }
  return shown;
}

/** As text; `undefined` if nothing is stored about the project. */
export function projectStartText(start: ProjectStart, timeZone: string): string | undefined {
  const { module, session, insights, moreInsights } = start;
  const lines = insights.map(
    ({ id, content, isCut }) =>
      `- ${escapeMessageStarts(content).replaceAll('\n', '\n  ')}${isCut ? '…' : ''} (insight ${id})`,
  );
  if (moreInsights > 0) lines.push(`- ${countOf(moreInsights, 'older insight')} did not fit.`);
  const parts = [
    ...(lines.length === 0 ? [] : [`Insights:\n${lines.join('\n')}`]),
    ...(session ? [sessionStartText({ ...viewOf(session, { module, timeZone }), notes: [] })] : []),
  ];
  return parts.length === 0 ? undefined : parts.join('\n\n');
}
