/**
 * What is stored about the project in a folder, for an assistant that begins to work there: insights, and
 * where the last session ended.
 */
import { homedir } from 'node:os';
import { basename } from 'node:path';
import { countOf } from '../base/text/display-text.js';
import { endWithin, estimateTextTokens } from '../base/text/estimate-tokens.js';
import { escapeMessageStarts } from '../base/text/message-starts.js';
import { findGitProject } from '../files/paths/find-project.js';
import type { SearchCaller } from '../search/messages/keyword-search.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
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
  const module = given ?? (await projectModule(conversations));
  // Without a conversation of the module, the search index need not be loaded.
  const session = (await hasModule(module, conversations))
    ? await startSession(
        sources,
        { module, threads: THREADS, maxTokens: maxTokens - spent },
        caller,
      )
    : undefined;
  return { module, session, context, insights, moreInsights: found.length - insights.length };
}

/**
 * The module of the working folder: imports name it after the folder of the session; in a folder below, it can
 * also be named after the repository.
 */
export async function projectModule(store: ConversationStore): Promise<string> {
  const folder = process.cwd();
  const project = await findGitProject(folder);
  const repository = project?.folder === homedir() ? undefined : project?.folder;
  const names = [folder, repository ?? folder].map((path) => basename(path));
  for (const name of names) if (await hasModule(name, store)) return name;
  return basename(folder);
}

async function hasModule(name: string, store: ConversationStore): Promise<boolean> {
  return (await store.list()).some(({ module }) => fitsModule(module, name));
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
