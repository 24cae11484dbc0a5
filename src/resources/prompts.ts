/** The MCP prompts for people. Stored text is in a part of its own, as data, not in the instructions. */
import type { App } from '../app.js';
import { AppError } from '../base/errors.js';
import { hasText } from '../base/text/display-text.js';
import { escapeMessageStarts } from '../base/text/message-starts.js';
import type { Snippet } from '../context/snippets/relevant-snippets.js';
import type { SearchCaller } from '../search/messages/keyword-search.js';
import { damagedNotes } from '../stores/conversations/damaged-notes.js';
import { noSuchModule } from '../stores/modules.js';
import { type Completer, completeConversation, completeModule } from './completions.js';
import { conversationText, DATA_NOTICE } from './conversation-text.js';
import { conversationUri } from './conversation-uri.js';

/** With the other parts of the prompt, these are about 25 000 tokens, the limit of every answer of Daybook. */
const MAX_TOKENS = 22_000;
const SNAPSHOT_TOKENS = 3_000;
const TOPIC_TOKENS = 4_000;

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly complete?: Completer;
}

export type PromptContent =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly text: string };
    };

export interface Prompt {
  readonly name: string;
  /** The prompt is offered if this toolset is offered. */
  readonly toolset: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** The parts of the message that the client sends for the user. */
  get(args: Record<string, string>, app: App, caller: SearchCaller): Promise<PromptContent[]>;
}

const moduleArgument: PromptArgument = {
  name: 'module',
  description: 'Only conversations of this module.',
  required: false,
  complete: completeModule,
};

const sessionStart: Prompt = {
  name: 'session_start',
  toolset: 'threads',
  title: 'Continue where we stopped',
  description: 'Starts a session with what is stored about the last one.',
  arguments: [moduleArgument],
  async get({ module = '' }, app, caller) {
    const filters = module === '' ? {} : { module };
    const request = { ...filters, threads: 3, maxTokens: SNAPSHOT_TOKENS };
    // Imported here because `initialize` needs the list of prompts, and not this large part.
    const { startSession } = await import('../context/session-start.js');
    const { sessionStartText, viewOf } = await import('../context/session-start-view.js');
    const start = await startSession(app, request, caller);
    const view = viewOf(start, { module: filters.module, timeZone: app.timeZone() });
    const notes = [...view.notes, ...damagedNotes(app.conversations)];
    const snapshot = sessionStartText({ ...view, notes });
    return [
      {
        type: 'text',
        text: 'Let us continue where we stopped. Below is what is stored about our last session. Write in two or three sentences when it was, what it was about and what is still open, as far as the stored text shows it. The questions and promises listed there are only candidates, so leave out what was settled. Then ask whether to continue with that.',
      },
      { type: 'text', text: `${DATA_NOTICE}\n\n${snapshot}` },
    ];
  },
};

const continueTopic: Prompt = {
  name: 'continue_topic',
  toolset: 'context',
  title: 'Continue a topic',
  description: 'Continues a topic with the stored passages about it from all conversations.',
  arguments: [
    { name: 'topic', description: 'The topic, or a question about it.', required: true },
    moduleArgument,
  ],
  async get({ topic = '', module = '' }, app, caller) {
    const filters = module === '' ? {} : { module };
    const request = {
      query: topic,
      filters,
      maxTokens: TOPIC_TOKENS,
      strategy: 'temporal',
    } as const;
    const { snippets } = await app.relevantSnippets.find(request, caller);
    const passages = snippets.map(snippetText);
    const noModule =
      passages.length === 0 && (await noSuchModule(app.conversations, filters.module));
    const notes = [...(noModule ? [noModule] : []), ...damagedNotes(app.conversations)];
    return [
      {
        type: 'text',
        text: `Let us continue this topic: ${topic}\n\nBelow are the stored passages about it, in the order of time. Write in a few sentences what was discussed and decided, as far as the passages show it. A passage that a later one seems to replace is marked. Then name what is still open and ask how to continue. If there is no passage, write that nothing is stored about it.`,
      },
      {
        type: 'text',
        text: [DATA_NOTICE, passages.join('\n\n') || 'No passages.', ...notes].join('\n\n'),
      },
    ];
  },
};

function snippetText({ conversationId, messageId, role, createdAt, text, supersededBy }: Snippet) {
  const place = `${role}, ${createdAt}, conversation ${conversationId}, message ${messageId}`;
  const mark = supersededBy ? `, superseded by message ${supersededBy.messageId}` : '';
  return `[${place}${mark}]\n${escapeMessageStarts(text)}`;
}

const summariseConversation: Prompt = {
  name: 'summarise_conversation',
  toolset: 'conversations',
  title: 'Summarise a conversation',
  description: 'Asks for a summary of a stored conversation and includes its text.',
  arguments: [
    {
      name: 'conversationId',
      description: 'Id or key of the conversation.',
      required: true,
      complete: completeConversation,
    },
    { name: 'focus', description: 'What the summary should concentrate on.', required: false },
  ],
  async get({ conversationId = '', focus = '' }, app) {
    const conversation = await app.conversations.load(conversationId);
    const address = { ref: conversation.conversationId, format: 'markdown' } as const;
    const text = conversationText(conversation, address, MAX_TOKENS);
    const about = focus === '' ? '' : ` Concentrate on this: ${focus}`;
    return [
      {
        type: 'text',
        text: `Summarise the stored conversation below: what it was about, what was found or decided, and what is still open. Use only what is in it.${about}`,
      },
      {
        type: 'resource',
        resource: { uri: conversationUri(address), mimeType: 'text/markdown', text },
      },
    ];
  },
};

export const prompts: readonly Prompt[] = [sessionStart, continueTopic, summariseConversation];

/** Throws VALIDATION_ERROR for an unknown prompt, a missing required argument or an unknown argument. */
export function requirePrompt(
  offered: readonly Prompt[],
  name: string,
  args?: Record<string, string>,
): Prompt {
  const prompt = offered.find((each) => each.name === name);
  if (prompt === undefined) {
    const known = offered.map((each) => each.name);
    throw new AppError(
      'VALIDATION_ERROR',
      `There is no prompt ${JSON.stringify(name.slice(0, 80))}. The prompts are ${known.join(', ')}.`,
      { details: { known } },
    );
  }
  if (args === undefined) return prompt;
  const missing = prompt.arguments.filter(
    ({ name: key, required }) => required && !hasText(args[key] ?? ''),
  );
  const unknown = Object.keys(args).filter(
    (key) => !prompt.arguments.some((argument) => argument.name === key),
  );
  if (missing.length === 0 && unknown.length === 0) return prompt;
  const problems = [
    ...missing.map(({ name: key }) => `"${key}" is missing or empty.`),
    ...unknown.map((key) => `${JSON.stringify(key.slice(0, 80))} is unknown.`),
  ];
  throw new AppError(
    'VALIDATION_ERROR',
    `${problems.join(' ')} The arguments of the prompt ${name} are ${namesOf(prompt.arguments)}.`,
    {
      details: { missing: missing.map(({ name: key }) => key), unknown },
    },
  );
}

const namesOf = (args: readonly PromptArgument[]) =>
  args.map(({ name, required }) => (required ? name : `${name} (optional)`)).join(', ');
