/**
 * What the real API refuses: unknown fields, wrong dates, recency together with dates, domains, models,
 * alternation. The stand-in uses these rules. They are written from the facts about the API, not from our
 * client.
 */

export interface Refused {
  status: number;
  type: string;
  message: string;
  param?: string;
}

type Json = Record<string, unknown>;

const AGENT_FIELDS = new Set(
  'input instructions model models preset profile tools tool_choice max_output_tokens max_steps max_tool_calls parallel_tool_calls temperature top_p reasoning response_format language_preference stream stream_options background store previous_response_id metadata truncation skills'.split(
    ' ',
  ),
);
const TOOL_FIELDS = new Set(
  'type filters search_context_size max_tokens max_tokens_per_page max_results user_location'.split(
    ' ',
  ),
);
const FILTER_FIELDS = new Set(
  'search_domain_filter search_recency_filter search_after_date_filter search_before_date_filter last_updated_after_filter last_updated_before_filter'.split(
    ' ',
  ),
);
const CHAT_FIELDS = new Set(
  'model messages max_tokens temperature top_p stream stream_mode stop response_format search_mode search_domain_filter search_recency_filter search_after_date_filter search_before_date_filter last_updated_after_filter last_updated_before_filter search_language_filter return_images return_related_questions disable_search enable_search_classifier reasoning_effort language_preference web_search_options'.split(
    ' ',
  ),
);
const PRESETS = new Set(['fast', 'low', 'medium', 'high', 'xhigh', 'wide-research']);
const CHAT_MODELS = new Set(['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research']);
const RECENCY = new Set(['hour', 'day', 'week', 'month', 'year']);
const ROLES = new Set(['user', 'assistant', 'system', 'developer']);

const invalid = (message: string, param?: string, type = 'invalid_request'): Refused => ({
  status: 400,
  type,
  message,
  ...(param === undefined ? {} : { param }),
});

export function refuseAgent(body: Json): Refused | undefined {
  return (
    unknownField(body, AGENT_FIELDS) ??
    refuseModel(body) ??
    refuseInput(body['input']) ??
    (body['tools'] as Json[] | undefined)
      ?.map((tool) => {
        if (tool['type'] !== 'web_search') return invalid(`unknown tool ${tool['type']}`, 'tools');
        return (
          unknownField(tool, TOOL_FIELDS) ??
          unknownField((tool['filters'] ?? {}) as Json, FILTER_FIELDS) ??
          refuseFilters((tool['filters'] ?? {}) as Json)
        );
      })
      .find((refused) => refused !== undefined)
  );
}

function refuseModel(body: Json): Refused | undefined {
  const { preset, model } = body;
  if (preset === undefined && model === undefined) return invalid('model or preset is required');
  if (preset !== undefined && !PRESETS.has(String(preset))) {
    return invalid(`unknown preset "${preset}"`, 'preset', 'invalid_parameter');
  }
  if (model !== undefined && !/^[\w-]+\/[\w.-]+$/.test(String(model))) {
    return invalid(`invalid model "${model}"`, 'model', 'invalid_model');
  }
  return undefined;
}

function refuseInput(input: unknown): Refused | undefined {
  if (typeof input === 'string' && input !== '') return undefined;
  if (!Array.isArray(input) || input.length === 0) return invalid('input is required', 'input');
  for (const item of input as Json[]) {
    const extra = unknownField(item, new Set(['type', 'role', 'content']));
    if (extra) return extra;
    if (item['type'] !== 'message' || !ROLES.has(String(item['role'])) || !item['content']) {
      return invalid('malformed input item', 'input');
    }
  }
  return undefined;
}

export function refuseChat(body: Json): Refused | undefined {
  const extra = unknownField(body, CHAT_FIELDS) ?? refuseFilters(body);
  if (extra) return extra;
  if (!CHAT_MODELS.has(String(body['model']))) {
    return invalid(`Invalid model '${body['model']}'.`, 'model', 'invalid_model');
  }
  return refuseOrder((body['messages'] ?? []) as Json[]);
}

function refuseOrder(messages: Json[]): Refused | undefined {
  const firstTurn = messages.findIndex((message) => message['role'] !== 'system');
  const turns = firstTurn === -1 ? [] : messages.slice(firstTurn);
  const inOrder = turns.every(
    (message, index) => message['role'] === (index % 2 === 0 ? 'user' : 'assistant'),
  );
  const blank = messages.some((message) => String(message['content'] ?? '').trim() === '');
  if (blank) return invalid('Message content must not be empty.', 'messages', 'invalid_message');
  if (inOrder && turns.length % 2 === 1) return undefined;
  return invalid(
    'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).',
    undefined,
    'invalid_message',
  );
}

function refuseFilters(filters: Json): Refused | undefined {
  const dates = Object.entries(filters).filter(([key]) =>
    /_(after|before)(_date)?_filter$/.test(key),
  );
  for (const [key, value] of dates) {
    const match = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(String(value));
    if (!match || Number(match[1]) > 12 || Number(match[2]) > 31) {
      return invalid(`${key} must be %m/%d/%Y`, key, 'invalid_date_format');
    }
  }
  const recency = filters['search_recency_filter'];
  if (recency !== undefined && !RECENCY.has(String(recency))) {
    return invalid('bad recency', 'search_recency_filter', 'invalid_parameter');
  }
  if (recency !== undefined && dates.length > 0) {
    return invalid('search_recency_filter cannot be combined with date filters');
  }
  return refuseDomains((filters['search_domain_filter'] ?? []) as unknown[]);
}

function refuseDomains(domains: readonly unknown[]): Refused | undefined {
  const bad = (message: string) =>
    invalid(message, 'search_domain_filter', 'invalid_search_domain_filter');
  if (domains.length > 20) return bad('at most 20 domains');
  const wrong = domains.find((d) => !/^-?[a-z0-9.-]{1,252}$/i.test(String(d)));
  return wrong === undefined ? undefined : bad(`invalid domain "${wrong}"`);
}

function unknownField(body: Json, known: ReadonlySet<string>): Refused | undefined {
  const extra = Object.keys(body).find((key) => !known.has(key));
  return extra === undefined
    ? undefined
    : invalid(`invalid request body: json: unknown field "${extra}"`, extra);
}
