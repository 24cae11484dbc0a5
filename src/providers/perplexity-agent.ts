/**
 * Perplexity's Agent API (`POST /v1/agent`). It refuses unknown fields, so the body has only the necessary
 * ones. Filters are fields of the web_search tool. The API has no academic mode and no related questions.
 * Related questions are requested in the prompt. A failed run has HTTP status 200; its `status` field shows the failure.
 */
import { sleep } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { newUuid } from '../base/ids.js';
import { defined } from '../base/json.js';
import { type JsonObject, objectIn, objectsIn, textIn } from '../base/json-fields.js';
import { withUnknownOutcome } from './http-client.js';
import {
  type EndedRun,
  isPending,
  type PendingRun,
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

/** A background create returns at once. */
const START_TIMEOUT_MS = 60_000;
const POLL_TIMEOUT_MS = 30_000;
/** The first and the longest pause between two requests for the state of a search. */
const POLL_MIN_MS = 2_000;
const POLL_MAX_MS = 15_000;

export function createAgentBackend(wire: Wire, options: PerplexityOptions): Perplexity {
  // In settings of OpenAI's style, the base URL ends in /v1.
  const path = options.baseUrl.endsWith('/v1') ? '/agent' : '/v1/agent';
  const poll: Perplexity['poll'] = async (runId, signal) => {
    const url = `${path}/${encodeURIComponent(runId)}`;
    return toRunState(await wire.get(url, POLL_TIMEOUT_MS, signal), runId);
  };
  return {
    backend: 'agent',
    hasThinking: false,
    prepare: (request) => prepare(request, options),
    async ask(prepared, control) {
      const until = options.clock.monotonic() + options.askTimeoutMs;
      let state = toRunState(await wire.post(path, prepared.body, options.askTimeoutMs, control));
      if (isPending(state)) state = await endOf(state, { poll, options, until }, control?.signal);
      if (state.status === 'completed') return state.answer;
      throw unusable(`The run at Perplexity ended as ${state.status}: ${state.reason}.`);
    },
    async start(prepared, control) {
      const body = { ...prepared.body, background: true };
      const timeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
      return toRunState(await wire.post(path, body, timeoutMs, control));
    },
    poll,
  };
}

interface Following {
  readonly poll: Perplexity['poll'];
  readonly options: PerplexityOptions;
  /** Monotonic milliseconds. */
  readonly until: number;
}

/**
 * Polls a run whose create was answered before its end. The run is paid for, so a failed poll is repeated if that can
 * help, and the outcome of each thrown error is `unknown`.
 */
async function endOf(
  { status, runId }: PendingRun,
  { poll, options, until }: Following,
  signal: AbortSignal | undefined,
): Promise<EndedRun> {
  let waitMs = options.retryDelayMs ?? POLL_MIN_MS;
  while (options.clock.monotonic() < until) {
    await sleep(waitMs, signal).catch(() => undefined); // `poll` then throws CANCELLED
    waitMs = Math.min(waitMs * 1.5, POLL_MAX_MS);
    try {
      const state = await poll(runId, signal);
      if (!isPending(state)) return state;
    } catch (error) {
      if (isAppError(error) && error.retryable) continue;
      throw isAppError(error) ? withUnknownOutcome(error) : error;
    }
  }
  throw withUnknownOutcome(
    new AppError('TIMEOUT', `The run at Perplexity did not end in time (${status}).`),
  );
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
  const { model } = options;
  const hasFilters = Object.keys(filters).length > 0;
  const webSearch = { type: 'web_search', ...(hasFilters ? { filters } : {}) };
  return {
    notes,
    body: {
      preset: presetFor(request, options),
      ...(model !== undefined && { model }),
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

function presetFor(
  { kind, reasoningEffort }: PerplexityRequest,
  { presets }: PerplexityOptions,
): string {
  if (kind === 'search') return presets.search;
  return reasoningEffort === undefined ? presets.deepResearch : EFFORT_PRESETS[reasoningEffort];
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
