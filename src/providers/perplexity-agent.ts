/**
 * Perplexity's Agent API (`POST /v1/agent`). It refuses unknown fields, so the body has only the necessary
 * ones. Filters are fields of the web_search tool. The API has no academic mode and no related questions.
 * Related questions are requested in the prompt. A failed run has HTTP status 200; its `status` field shows the failure.
 */
import { newUuid } from '../base/ids.js';
import { defined } from '../base/json.js';
import { type JsonObject, objectIn, objectsIn, textIn } from '../base/json-fields.js';
import {
  type PerplexityAnswer,
  RELATED_INSTRUCTION,
  type RunState,
  splitRelated,
  splitThinking,
  toCost,
  toSearchResults,
  toUsage,
} from './perplexity-answer.js';
import { unusable } from './perplexity-errors.js';
import { toWireFilters, withoutAcademicMode } from './perplexity-filters.js';
import type {
  Perplexity,
  PerplexityOptions,
  PerplexityRequest,
  PreparedRequest,
  Wire,
} from './perplexity-types.js';
import { quoteUpstream } from './upstream-text.js';

const EFFORT_PRESETS = { low: 'medium', medium: 'high', high: 'xhigh' } as const;

/** A caller waits for a search. A background create returns at once. */
const ASK_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 60_000;
const POLL_TIMEOUT_MS = 30_000;

export function createAgentBackend(wire: Wire, options: PerplexityOptions): Perplexity {
  // In settings of OpenAI's style, the base URL ends in /v1.
  const path = /\/v1\/*$/.test(options.baseUrl) ? '/agent' : '/v1/agent';
  return {
    backend: 'agent',
    hasThinking: false,
    prepare: (request) => prepare(request, options),
    async ask(prepared, control) {
      const reply = await wire.post(
        path,
        prepared.body,
        options.askTimeoutMs ?? ASK_TIMEOUT_MS,
        control,
      );
      const state = toRunState(reply);
      if (state.status === 'completed') return state.answer;
      if ('reason' in state)
        throw unusable(`The run at Perplexity ended as ${state.status}: ${state.reason}.`);
      throw unusable(`Perplexity answered before the end of the run (${state.status}).`);
    },
    async start(prepared, control) {
      const body = { ...prepared.body, background: true };
      return toRunState(
        await wire.post(path, body, options.startTimeoutMs ?? START_TIMEOUT_MS, control),
      );
    },
    async poll(runId, signal) {
      const url = `${path}/${encodeURIComponent(runId)}`;
      return toRunState(await wire.get(url, POLL_TIMEOUT_MS, signal), runId);
    },
  };
}

function prepare(request: PerplexityRequest, options: PerplexityOptions): PreparedRequest {
  const given = toWireFilters(request.filters);
  const { filters, notes } =
    request.filters.mode === 'academic'
      ? withoutAcademicMode(given)
      : { filters: given, notes: [] };
  const system = request.messages.filter((message) => message.role === 'system');
  const instructions = system.map((message) => message.content);
  if (request.relatedQuestions) instructions.push(RELATED_INSTRUCTION);
  const isSearch = request.kind === 'search';
  const model = isSearch ? options.models?.search : options.models?.deepResearch;
  const hasFilters = Object.keys(filters).length > 0;
  const webSearch = { type: 'web_search', ...(hasFilters ? { filters } : {}) };
  return {
    notes,
    body: {
      preset: presetFor(request, options),
      ...(model === undefined ? {} : { model }),
      ...(instructions.length === 0 ? {} : { instructions: instructions.join('\n\n') }),
      input: request.messages
        .filter((message) => message.role !== 'system')
        .map(({ role, content }) => ({ type: 'message', role, content })),
      // Deep research chooses its own tools. A list of tools would remove the others.
      ...(isSearch || hasFilters ? { tools: [webSearch] } : {}),
      // Without this choice the model may answer without a search.
      ...(isSearch ? { tool_choice: { type: 'web_search' } } : {}),
    },
  };
}

function presetFor(request: PerplexityRequest, options: PerplexityOptions): string {
  if (request.kind === 'search') return options.presets?.search ?? 'low';
  if (request.reasoningEffort !== undefined) return EFFORT_PRESETS[request.reasoningEffort];
  return options.presets?.deepResearch ?? 'high';
}

/** `knownId`: the id of an answer that has none; the answer is paid for too. */
function toRunState(reply: unknown, knownId = newUuid()): RunState {
  const response = objectIn(reply);
  const id = textIn(response['id']);
  const status = response['status'];
  if (status === 'completed' || status === 'incomplete') {
    const answer = toAnswer(response, id ?? knownId, status === 'incomplete');
    return { status: 'completed', answer };
  }
  if (status === 'failed' || status === 'cancelled' || status === 'requires_action') {
    const reason = textIn(objectIn(response['error'])['message']) ?? 'no reason given';
    const ended = status === 'cancelled' ? 'cancelled' : 'failed';
    return { status: ended, reason: quoteUpstream(reason), ...defined({ runId: id }) };
  }
  if (id === undefined) {
    const state = quoteUpstream(String(status), [], 40);
    throw unusable(`The answer of Perplexity has the state ${state} and no id of a run.`);
  }
  // An unknown status may mean that the run continues, so it is not treated as the end.
  return { status: status === 'queued' ? 'queued' : 'in_progress', runId: id };
}

function toAnswer(
  response: JsonObject,
  responseId: string,
  isIncomplete: boolean,
): PerplexityAnswer {
  const output = objectsIn(response['output']);
  const written = output
    .filter((item) => item['type'] === 'message')
    .flatMap((item) => objectsIn(item['content']))
    .filter((part) => part['type'] === 'output_text')
    .map((part) => textIn(part['text']) ?? '')
    .join('');
  const found = output
    .filter((item) => item['type'] === 'search_results')
    .flatMap((item) => objectsIn(item['results']));
  const usage = toUsage(response['usage']);
  const cost = toCost(response['usage']);
  const { text: content, thinking } = splitThinking(written);
  const cutBy = textIn(objectIn(response['incomplete_details'])['reason']) ?? 'unknown reason';
  return {
    responseId,
    model: textIn(response['model']) ?? 'unknown',
    ...splitRelated(content),
    searchResults: toSearchResults(found),
    ...defined({ usage, cost, thinking }),
    ...(isIncomplete ? { incomplete: quoteUpstream(cutBy, [], 60) } : {}),
  };
}
