/**
 * The older chat completions API (`POST {base}/chat/completions`), for gateways that still support it;
 * Perplexity has retired its own endpoint. It has fields for all options of the tools, returns thinking as
 * a `<think>` block at the beginning, and has no background runs: `start` waits for the answer.
 */
import { newUuid } from '../base/ids.js';
import { defined } from '../base/json.js';
import {
  type JsonObject,
  listIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '../base/json-fields.js';
import {
  type PerplexityAnswer,
  splitThinking,
  toCost,
  toSearchResults,
  toUsage,
} from './perplexity-answer.js';
import { unusable } from './perplexity-errors.js';
import { toWireFilters } from './perplexity-filters.js';
import type {
  Perplexity,
  PerplexityOptions,
  PerplexityRequest,
  PreparedRequest,
  SendControl,
  Wire,
} from './perplexity-types.js';
import { quoteUpstream } from './upstream-text.js';

/** Deep research takes minutes, and here it is a single request. */
const RESEARCH_TIMEOUT_MS = 15 * 60_000;

export function createChatBackend(wire: Wire, options: PerplexityOptions): Perplexity {
  const complete = async (prepared: PreparedRequest, timeoutMs: number, control?: SendControl) =>
    toAnswer(await wire.post('/chat/completions', prepared.body, timeoutMs, control));
  return {
    backend: 'chat-completions',
    hasThinking: true,
    prepare: (request) => prepare(request, options),
    ask: (prepared, control) => complete(prepared, options.askTimeoutMs, control),
    async start(prepared, control) {
      const timeoutMs = options.startTimeoutMs ?? RESEARCH_TIMEOUT_MS;
      return { status: 'completed', answer: await complete(prepared, timeoutMs, control) };
    },
    poll: () => Promise.reject(unusable('This backend has no background runs.')),
  };
}

function prepare(request: PerplexityRequest, options: PerplexityOptions): PreparedRequest {
  const isSearch = request.kind === 'search';
  const { mode } = request.filters;
  const effort = isSearch ? undefined : request.reasoningEffort;
  return {
    notes: [],
    body: {
      model: options.model ?? (isSearch ? 'sonar-pro' : 'sonar-deep-research'),
      messages: request.messages.map(({ role, content }) => ({ role, content })),
      ...toWireFilters(request.filters),
      ...(mode !== undefined && { search_mode: mode }),
      ...(request.relatedQuestions && { return_related_questions: true }),
      ...(effort !== undefined && { reasoning_effort: effort }),
    },
  };
}

function toAnswer(reply: unknown): PerplexityAnswer {
  const response = objectIn(reply);
  const choice = objectsIn(response['choices'])[0];
  if (choice === undefined) {
    throw unusable(
      'The answer has no choices. Check that PERPLEXITY_BASE_URL is an endpoint for chat completions.',
    );
  }
  const content = textIn(objectIn(choice['message'])['content']) ?? '';
  const usage = toUsage(response['usage']);
  const cost = toCost(response['usage']);
  const finish = textIn(choice['finish_reason']) ?? 'stop';
  return {
    // An answer without an id is paid for too.
    responseId: textIn(response['id']) ?? newUuid(),
    model: textIn(response['model']) ?? 'unknown',
    ...splitThinking(content),
    searchResults: toSearchResults(sourcesOf(response)),
    relatedQuestions: textsIn(response['related_questions']),
    ...defined({ usage, cost }),
    ...(finish === 'stop' ? {} : { incomplete: quoteUpstream(finish, [], 60) }),
  };
}

/** Older answers have only addresses. In both lists, marks count from 1. */
function sourcesOf(response: JsonObject): JsonObject[] {
  const results = listIn(response['search_results']).map(objectIn);
  const listed =
    results.length > 0
      ? results
      : listIn(response['citations']).map((url): JsonObject => ({ url }));
  return listed.map((item, index) => ({ ...item, id: index + 1 }));
}
